import asyncio
import sys

from eukhe import Session, events


async def main(base_url: str) -> None:
    async with Session.open(base_url=base_url, model="demo") as session:
        async for event in session.prompt("Which file is the largest?"):
            match event:
                case events.ToolExecutionStart(tool=tool):
                    print(f"[{tool}]")
                    await session.follow_up("And the smallest?")
                case events.MessagePlaced(text=text):
                    print(f"> {text}")
                case events.MessageUpdate(kind="text", text=text):
                    print(text, end="")
                case events.MessageEnd():
                    print()
                case events.RunFailed(text=text):
                    sys.exit(f"the run failed: {text}")

        done = await session.rewind()  # the follow-up never happened
        print(f"{len(done.gone)} entries were taken back, {len(session.entries)} are left")
        outcome = await session.prompt("Thank you.")
        print(outcome.text if outcome else "aborted")


asyncio.run(main(sys.argv[1]))
