"""What the Python programs share: the task in the first argument, and the report on standard output."""

import asyncio
import json
import sys

#: The `url` of the endpoint, or the `command`, `args` and `env` of the program that serves standard input.
#: `calls` are the tools' names with their arguments.
TASK = json.loads(sys.argv[1])
URL = TASK.get("url")
#: The arguments of the constructors that start the program.
PROGRAM = {name: TASK[name] for name in ("command", "args", "env") if name in TASK}
CALLS = [(call["name"], call["arguments"]) for call in TASK["calls"]]


def report(main):
    """Runs `main`, which returns the schemas by tool, and per call whether it is an error, and its value."""
    schemas, answers = asyncio.run(main())
    answers = [{"isError": is_error, "value": value} for is_error, value in answers]
    print(json.dumps({"answers": answers, "schemas": schemas}))
