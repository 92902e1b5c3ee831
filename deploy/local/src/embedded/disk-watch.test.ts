import { expect, it } from "vitest";
import { watchDisk } from "./disk-watch.ts";

it("reports once that the disk is full and once that there is space again, without flapping at the threshold", async () => {
  const lines: string[] = [];
  const add = (line: string) => void lines.push(line);
  let freeMib = 500;
  const { check, stop } = watchDisk(
    "/data",
    { info: add, warn: add },
    () => add("restart"),
    async () => freeMib,
  );
  stop();
  const linesAt = async (free: number) => {
    freeMib = free;
    await check();
    return lines.splice(0);
  };

  expect(await linesAt(8)).toEqual([]);
  expect(await linesAt(3)).toEqual([
    "No space left on the disk of /data (3 MiB are free). Nothing can be stored until space is freed.",
  ]);
  expect([await linesAt(0), await linesAt(10)]).toEqual([[], []]);
  expect(await linesAt(400)).toEqual(["Space is available again on the disk of /data (400 MiB are free).", "restart"]);
});
