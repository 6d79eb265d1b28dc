import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.screenshots import SCENES


def _text(svg: Path) -> str:
    return svg.read_text(encoding="utf-8").replace("&#160;", " ")


def test_the_script_takes_every_picture_from_the_running_application(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.screenshots", "--out", str(tmp_path)],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        check=True,
        timeout=110,
    )
    assert {p.stem for p in tmp_path.glob("*.svg")} == set(SCENES)
    assert "get_stock_price" in _text(tmp_path / "stock.svg")
    assert "GOOG" in _text(tmp_path / "narrow.svg")
    assert "conference" in _text(tmp_path / "approvals.svg")
    assert "Ctrl+C" in _text(tmp_path / "help.svg")
