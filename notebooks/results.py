"""What the notebooks share: tables of `results/` as data frames, and the project's colours."""

import os
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pandas
from cycler import cycler
from IPython.display import Markdown

# Okabe and Ito's, told apart by colour-blind readers too; in the order of alba's own figures.
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, BLACK = COLOURS = [
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7", "#000000",
]
# A second thing, beside colour, that tells series apart.
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]

plt.rcParams.update({
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "figure.dpi": 80,
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
    "font.size": 10,
})

ROOT = Path(os.environ.get("ALBA_RESULTS", Path(__file__).resolve().parent.parent / "results"))


def file(folder, name, command):
    """A file of a results folder; the error says which command makes it."""
    path = ROOT / folder / name
    if not path.exists():
        raise FileNotFoundError(f"results/{folder}/{name} is not there. Make it with: {command}")
    return path


def table(folder, name, command):
    """A table as a data frame: from Parquet where that is kept, else from CSV."""
    packed = ROOT / folder / f"{name}.parquet"
    if packed.exists():
        return pandas.read_parquet(packed)
    return pandas.read_csv(file(folder, f"{name}.csv", command))


def manifest(folder, command):
    """Everything that the run used."""
    return tomllib.loads(file(folder, "manifest.toml", command).read_text())


def say(text):
    """A paragraph with numbers that were just computed."""
    return Markdown(text)


def listed(words):
    """a, b and c."""
    words = [str(word) for word in words]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
