import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

// npm has ClickHouse's engine for this architecture only.
const hasEngine = process.arch === "x64";
const missingUrl =
  "is missing, and the embedded ClickHouse runs on x64 processors only. Set it to the address of a ClickHouse server; " +
  "deploy/compose/arm64.yaml starts one";

/** Without `CLICKHOUSE_URL`, an embedded ClickHouse stores its data in `SONDE_DATA_DIR`. */
export const schema = z.object({
  ...common,
  /** With user, password and database, if any: `http://sonde:secret@clickhouse:8123/sonde`. */
  CLICKHOUSE_URL: hasEngine ? env.httpUrl().optional() : z.string(missingUrl).pipe(env.httpUrl()),
  /** The server is part of a cluster: create tables with replicas, and store each row on two servers. */
  CLICKHOUSE_REPLICATED: env.flag(false),
  SONDE_DATA_DIR: z.string().default(".sonde"),
  /** Token with which a backup on another machine may read the embedded ClickHouse; disabled if absent. */
  BACKUP_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  // Listen address for backups, used with `BACKUP_TOKEN`.
  HOST: z.string().default("127.0.0.1"),
  BACKUP_PORT: env.port(8082, { min: 1 }),
  /** Single checks. At least two days, so that the last 24 hours are complete. */
  RETENTION_RAW_DAYS: env.int(30, { min: 2, max: 3650 }),
  /** Hourly and daily figures; the longest history shown is 30 days. */
  RETENTION_ROLLUP_DAYS: env.int(400, { min: 31, max: 3650 }),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError that lists every invalid variable */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
