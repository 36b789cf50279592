"""Tasks in forked children: each ends, whatever it does, and its result or its end is told."""

import json
import subprocess
import sys

from eukhe_laws.engine.children import environment

PROGRAM = """
import json, os, time
from eukhe_laws.engine.forked import forked
def work(task):
    match task:
        case "crash":
            os.kill(os.getpid(), 9)
        case "raise":
            raise ValueError(task)
        case "sleep":
            time.sleep(600)
        case "loop":
            while True:
                pass
        case "print":
            print("noise")
    return [task, "x" * 100_000][:1 if task != "large" else 2]
seen = {}
start = time.monotonic()
for task, said in forked(TASKS, work, jobs=3, wall=1.5):
    seen[task] = said if said is None else len(json.dumps(said))
print(json.dumps([seen, time.monotonic() - start]))
"""


def run(*tasks: str) -> tuple[dict[str, int | None], float]:
    program = PROGRAM.replace("TASKS", repr(list(tasks)))
    child = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    seen, seconds = json.loads(child.stdout)
    return seen, seconds


def test_each_result_comes_back_also_one_larger_than_a_pipe_holds() -> None:
    seen, _ = run("a", "b", "large", "print", "c")
    assert seen == {"a": 5, "b": 5, "large": 100_013, "print": 9, "c": 5}


def test_a_child_that_crashes_raises_sleeps_or_loops_is_told_as_none_and_the_others_go_on() -> None:
    seen, seconds = run("crash", "raise", "sleep", "loop", "a")
    assert seen == {"crash": None, "raise": None, "sleep": None, "loop": None, "a": 5}
    assert seconds < 30
