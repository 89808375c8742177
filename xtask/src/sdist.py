"""sdist.py NAME FILE SHA256 FOLDER MEMBER...: parts of a source distribution of PyPI, unpacked into a folder.

pip runs the setup script of what it downloads, which needs what the sources need (PyTorch); this reads the index and
unpacks only.
"""

import hashlib
import html.parser
import io
import os
import sys
import tarfile
import time
import urllib.parse
import urllib.request

INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")


class Links(html.parser.HTMLParser):
    """The address of a file in a page of the index."""

    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.found = wanted, None

    def handle_starttag(self, tag, attributes):
        address = dict(attributes).get("href") or ""
        if tag == "a" and urllib.parse.urlparse(address).path.endswith("/" + self.wanted):
            self.found = address


def read(address, seconds):
    """What is at an address; tried three times, as a server may be busy."""
    for left in (2, 1, 0):
        try:
            return urllib.request.urlopen(address, timeout=seconds).read()
        except OSError as error:
            if left == 0:
                sys.exit(f"{address}: {error}")
            time.sleep(5)


def main(name, file, sha256, folder, *members):
    page = f"{INDEX}/{name}/"
    links = Links(file)
    links.feed(read(page, 60).decode())
    if links.found is None:
        sys.exit(f"{page} has no {file}")
    archive = read(urllib.parse.urljoin(page, links.found), 300)
    if hashlib.sha256(archive).hexdigest() != sha256:
        sys.exit(f"{file} has another hash than {sha256}")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            _, _, inside = member.name.partition("/")
            if member.isfile() and any(inside.startswith(wanted) for wanted in members):
                path = os.path.join(folder, inside)
                if os.path.relpath(path, folder).startswith(".."):
                    sys.exit(f"{member.name} is outside of the archive")
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as out:
                    out.write(tar.extractfile(member).read())


main(*sys.argv[1:])
