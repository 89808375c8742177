# Paths, as text: nothing of a disk is looked at but the files of the project.
import os
import _files


class PurePath:
    def __init__(self, *parts):
        texts = [str(part) for part in parts]
        self._path = os.path.join(*texts) if len(texts) > 0 else "."

    def __truediv__(self, other):
        return Path(self._path, _files.part(str(other)))

    def __rtruediv__(self, other):
        return Path(_files.part(str(other)), self._path)

    def __str__(self):
        return self._path

    def __fspath__(self):
        return self._path

    def as_posix(self):
        return self._path

    def joinpath(self, *others):
        return Path(self._path, *others)

    @property
    def parent(self):
        return Path(os.path.dirname(self._path))

    @property
    def parents(self):
        found = []
        path = self._path
        while os.path.dirname(path) != path:
            path = os.path.dirname(path)
            found.append(Path(path))
        return found

    @property
    def name(self):
        return os.path.basename(self._path)

    @property
    def stem(self):
        return os.path.splitext(os.path.basename(self._path))[0]

    @property
    def suffix(self):
        return os.path.splitext(self._path)[1]

    def with_suffix(self, suffix):
        return Path(os.path.splitext(self._path)[0] + suffix)

    def with_name(self, name):
        return Path(os.path.join(os.path.dirname(self._path), name))

    def mkdir(self, *args, **named):
        return None

    def resolve(self, *args, **named):
        return self

    def absolute(self):
        return self

    def expanduser(self):
        return Path(os.path.expanduser(self._path))

    @staticmethod
    def home():
        return Path(os.path.expanduser("~"))

    def exists(self):
        return os.path.exists(self._path)

    def is_file(self):
        return os.path.isfile(self._path)

    def is_dir(self):
        return os.path.isdir(self._path)

    def is_symlink(self):
        return _files.listed(self._path)

    def iterdir(self):
        return _files.listed(self._path)

    def glob(self, pattern, **named):
        return _files.listed(self._path)

    def rglob(self, pattern, **named):
        return _files.listed(self._path)

    def unlink(self, *args, **named):
        return None

    def write_text(self, text, *args, **named):
        _files.begin(self._path, False)
        _files.write(self._path, text)
        _files.close(self._path)

    def read_text(self, *args, **named):
        return _files.read(self._path)

    def open(self, mode="r", *args, **named):
        return open(self._path, mode)


class Path(PurePath):
    pass


class PosixPath(Path):
    pass


class PurePosixPath(Path):
    pass
