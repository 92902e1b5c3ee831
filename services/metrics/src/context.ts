import type { ClickHouseClient } from "@clickhouse/client";
import type { MaintenanceWatch } from "@sonde/domain/maintenance/watch";
import type { Clock } from "@sonde/kit/time/clock";
import type { Retention } from "./clickhouse/retention.ts";
import type { Timelines } from "./timelines/timelines.ts";

export type Context = {
  clock: Clock;
  retention: Retention;
  timelines: Pick<Timelines, "get">;
  maintenance: Pick<MaintenanceWatch, "spansOf">;
  /** Runs a query. @throws AppError `unavailable` while ClickHouse is unavailable */
  read<Result>(query: (client: ClickHouseClient) => Promise<Result>): Promise<Result>;
};
