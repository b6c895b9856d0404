"""How long the explain page of a question takes to open in headless Chromium.

python scripts/bench_explain.py +experiment=locomo_retrieval dataset.path=data/locomo/locomo10.json \\
    question=conv-41:q6 show=memorai_plus

Takes the arguments of memorai.explain. Prints JSON: seconds from the start of navigation until the graph is drawn (a
frame after the last script), of the first page of a fresh browser and of those after it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1400,1100"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
#: until the frame after the last script has been drawn
DRAWN = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](performance.now())))"


def seconds(page: Path, runs: int) -> list[tuple[float, float]]:
    """Open the page this often in one fresh browser; wall seconds and CPU seconds of the main thread of each."""
    options = webdriver.ChromeOptions()
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.binary_location = shutil.which("chromium") or ""
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            found = []
            for _ in range(runs):
                driver.get("about:blank")
                driver.get(page.as_uri())
                wall = driver.execute_async_script(DRAWN) / 1e3
                metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
                found.append((wall, next(m["value"] for m in metrics if m["name"] == "TaskDuration")))
            return found
        finally:
            driver.quit()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    options, overrides = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        command = [sys.executable, "-m", "memorai.explain", *overrides, f"out={page}", f"hydra.run.dir={folder}/run"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found = seconds(page, options.runs)
        wall = [one for one, _ in found]
        result = {
            "bytes": page.stat().st_size,
            "first_s": round(wall[0], 3),
            "median_s": round(statistics.median(wall[1:] or wall), 3),
            "max_s": round(max(wall), 3),
            "first_cpu_s": round(found[0][1], 3),
            "cpu_s": [round(cpu, 3) for _, cpu in found],
            "load": [round(one, 1) for one in os.getloadavg()],
            "runs": len(found),
        }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
