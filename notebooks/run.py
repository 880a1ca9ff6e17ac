"""Executes the notebooks.   run.py FOLDER: writes them, with outputs, to FOLDER; results are read from $ALBA_RESULTS or ../results."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        # Notebooks run where they are, so that they find results.py.
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(HERE)}}).execute()
        # Times of execution would make every run another file.
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, folder / path.name)
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells executed", flush=True)


main()
