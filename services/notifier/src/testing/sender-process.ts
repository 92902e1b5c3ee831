import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { openDatabase } from "@sonde/kit/postgres/database";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { migrations } from "../../migrations/index.ts";
import { createEgress } from "@sonde/kit/egress/requests";
import { startSender } from "../deliveries/sender.ts";
import { mailContent, plainMessage, postTo } from "./post-channel.ts";

/** Only sends, for tests that kill it. `DIES` = before | after | never. */
const { SCHEMA: schema = "", DATABASE_URL: url = "", DIES: dies } = process.env;
const db = await openDatabase({ url, schema, migrations, log: silentLog, camelCase: true });
const guard = createGuard();
const channel = postTo({
  // The provider has responded, but the outcome is not recorded.
  onAnswer: () => void (dies === "after" && process.kill(process.pid, "SIGKILL")),
});
startSender({
  db,
  guard,
  clock: systemClock,
  log: silentLog,
  secrets: secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64"))),
  publicUrl: null,
  pushServices: [],
  channelOf: () => channel,
  egress: createEgress({ guard, resolver: createResolver() }),
  render: ({ isTest = false, ...rendering }) => plainMessage({ ...rendering, isTest }),
  linksOf: () => () => ({}),
  evidenceOf: async () => undefined,
  monitors: { listSharedCauses: async () => ({ causes: [] }) },
  mailOf: async () => mailContent,
  noticeOf: async () => undefined,
  removeGoneDevices: async () => 0,
  pushIdentity: () => Promise.reject(new Error("no push messages in this process")),
  startCall: () => Promise.reject(new Error("no calls in this process")),
  sample: () => {
    throw new Error("no channel tests in this process");
  },
  changed: () => {},
});
