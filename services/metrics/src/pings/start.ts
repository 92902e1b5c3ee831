import type { Bus } from "@sonde/kit/bus/connect";
import type { Log } from "@sonde/kit/service/log";
import type { Clock } from "@sonde/kit/time/clock";
import { streams } from "@sonde/proto/streams";
import type { Access } from "../clickhouse/access.ts";
import { type Intake, startIntake } from "../ingest/intake.ts";
import type { Timelines } from "../timelines/timelines.ts";
import { readPings, writePings } from "./store.ts";

type PingsOptions = {
  bus: Bus;
  clock: Clock;
  access: Access;
  rawDays: number;
  log: Log;
  timelines: Pick<Timelines, "get" | "isDeleted">;
};

export function startPings({ bus, clock, access, rawDays, timelines }: PingsOptions): Intake {
  const keeping = {
    isDeleted: timelines.isDeleted,
    keepsOutput: (monitorId: number) => timelines.get(monitorId)?.keepBody ?? true,
  };
  return startIntake({
    bus,
    stream: streams.pings.name,
    read: (bytes, _subject, storedAtMs) => readPings(bytes, storedAtMs, { nowMs: clock.now(), rawDays }),
    write: (batches) => access.write((client) => writePings(client, batches, keeping)),
  });
}
