"""A virtual environment with google-adk and nothing else, made in a second.

The files of google-adk and of what it requires are linked one by one from the
environment the tests run in, so nothing else of that environment is there.
"""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _closure(root: str) -> list[metadata.Distribution]:
    """A distribution and all it requires, without extras."""
    found: dict[str, metadata.Distribution] = {}
    wanted = [root]
    while wanted:
        name = wanted.pop()
        if _name(name) in found:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        found[_name(name)] = distribution
        for requirement in distribution.requires or ():
            if "extra ==" not in requirement:
                match = re.match(r"[\w.-]+", requirement)
                assert match
                wanted.append(match[0])
    return list(found.values())


def make_environment(folder: Path, *requirements: str) -> Path:
    """Make a virtual environment with these distributions only; returns its site-packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    caches: set[Path] = set()
    for distribution in {d.name: d for r in requirements for d in _closure(r)}.values():
        for file in distribution.files or ():
            if ".." in file.parts or "__pycache__" in file.parts:
                continue
            source, target = Path(str(distribution.locate_file(file))), site / file
            if not source.exists() or target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)
            caches.add(target.parent)
    for package in caches:
        cache = package / "__pycache__"
        source = Path(next(iter(package.glob("*"))).resolve()).parent / "__pycache__"
        if source.is_dir() and not cache.exists():
            cache.symlink_to(source)
    return site
