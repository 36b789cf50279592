"""The command line: click commands, each imported when it runs."""
