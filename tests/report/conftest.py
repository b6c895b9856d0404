from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1400,1100"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


class Browser:
    """A headless Chromium that shows one page and remembers what it asked the network for."""

    def __init__(self, driver) -> None:
        self.driver = driver

    def open(self, path: Path) -> None:
        self.driver.get("about:blank")
        self.driver.get_log("performance")
        self.driver.get(path.resolve().as_uri())

    def requests(self) -> list[str]:
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith("data:")]

    def js(self, script: str, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list:
        return self.driver.find_elements("css selector", selector)

    def dark(self, on: bool) -> None:
        feature = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


@pytest.fixture(scope="session")
def chromium(tmp_path_factory) -> Iterator[Browser]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with its driver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.binary_location = binary
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield Browser(opened)
    opened.quit()
