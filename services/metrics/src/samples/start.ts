import type { Bus } from "@sonde/kit/bus/connect";
import type { Clock } from "@sonde/kit/time/clock";
import type { Log } from "@sonde/kit/service/log";
import { streams } from "@sonde/proto/streams";
import type { Access } from "../clickhouse/access.ts";
import { type Intake, startIntake } from "../ingest/intake.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { deleteRowsOf, startDeletions } from "../timelines/deletion.ts";
import { startLoop } from "@sonde/kit/time/loop";
import { readSamples } from "./row.ts";
import { watchDeletedAgents } from "./deleted-agents.ts";
import { sampleRollups, createSampleWriter } from "./store.ts";

export type SamplesOptions = { bus: Bus; clock: Clock; access: Access; rawDays: number; log: Log };

export function startSamples({ bus, clock, access, rawDays, log }: SamplesOptions): Intake {
  const deletions = startDeletions({ access, log, remove: deleteRowsOf("agents") });
  const deleted = watchDeletedAgents(bus, deletions.add);
  const writer = createSampleWriter({ clock, isDeleted: deleted.has });
  const intake = startIntake({
    bus,
    stream: streams.samples.name,
    read: (bytes) => readSamples(bytes, { nowMs: clock.now(), rawDays }),
    write: (batches) => access.write((client) => writer.write(client, batches)),
  });
  const roll = () =>
    access.write((client) =>
      rollClosedHours(client, clock.now(), sampleRollups, access.catchUp).finally(writer.forget),
    );
  const rolling = startLoop({ work: "rolling up samples", log, everyMs: 30_000, run: roll });
  rolling.nudge();
  return {
    unavailable: intake.unavailable,
    flushPending: intake.flushPending,
    stop: async () => void (await Promise.all([intake.stop(), rolling.stop(), deleted.stop(), deletions.stop()])),
  };
}
