"""`python -m eukhe_laws`: the same command as `eukhe laws`."""

from eukhe_laws.report.command import laws

if __name__ == "__main__":
    laws(prog_name="eukhe laws")
