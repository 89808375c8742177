"""Reports each test as a line of the Test Anything Protocol."""


def pytest_runtest_logreport(report):
    if report.when == "call" or report.failed:
        print(f"\n{'ok' if report.passed else 'not ok'} {report.nodeid}")
