import type { AskOptions } from "@sonde/kit/bus/rpc";
import {
  alertmanagerPayload,
  eventsV2Payload,
  type ExternalAlert,
  genericPayload,
  grafanaPayload,
  inboundAnswer,
  inboundBounds,
} from "@sonde/proto/http/monitors/inbound";
import { AppError } from "@sonde/kit/errors";
import * as z from "zod";
import { limitTexts } from "../middleware/limits.ts";
import { bytesRoute, type HandlerBase } from "../route.ts";
import { readAlerts } from "./formats.ts";

const missing = "Nothing exists at this address";
const params = { token: { missing, schema: z.string().regex(/^[\w-]{1,100}$/) } } as const;
/** A call to `monitors` must fit into one bus message. */
const maxCallBytes = 256 * 1024;

type Input = Pick<HandlerBase, "services" | "inbound" | "pings" | "ctx" | "ask"> & {
  params: { token: string };
  body: Uint8Array;
};

async function receive({ services, inbound, pings, ctx, ask, params: { token }, body }: Input, onlyEvents = false) {
  const { monitorId: id, format } = await pings.findInbound(token, ctx.state.address);
  if (onlyEvents && format !== "events-v2") throw new AppError("not_found", missing);
  const { alerts, dedupKey } = readAlerts(format, body);
  inbound.alerts.charge(id, alerts.length);
  const stored = await store(services, id, alerts, ask);
  if (dedupKey === undefined) return { message: "Alerts stored", stored } as const;
  return { message: "Event processed", stored, status: "success", dedup_key: dedupKey } as const;
}

async function store(
  { monitors }: Input["services"],
  id: number,
  alerts: readonly ExternalAlert[],
  ask: AskOptions,
): Promise<number> {
  let stored = 0;
  let part: ExternalAlert[] = [];
  let bytes = 0;
  const send = async () => {
    stored += (await monitors.receiveAlerts({ id, alerts: part }, ask)).stored;
    [part, bytes] = [[], 0];
  };
  for (const alert of alerts) {
    const size = Buffer.byteLength(JSON.stringify(alert));
    if (bytes + size > maxCallBytes) await send();
    part.push(alert);
    bytes += size;
  }
  await send();
  return stored;
}

const common = {
  description: `The address of an inbound monitor is enough to send alerts. 202 means that they are stored; after 429 or 503, retry. ${limitTexts.inbound}`,
  params,
  limits: { maxBytes: inboundBounds.bodyBytes, deadlineMs: 15_000 },
  status: 202,
  answer: inboundAnswer,
  /** Before the body is read, so that unknown addresses and floods stay cheap. */
  admit: async (
    { pings, inbound }: Pick<HandlerBase, "pings" | "inbound">,
    { token }: { token: string },
    address: string,
  ) => {
    const { monitorId } = await pings.findInbound(token, address);
    inbound.requests.take(monitorId);
    return inbound.atOnce.enter(monitorId);
  },
} as const;

export const inboundRoutes = [
  bytesRoute("POST /api/inbound/:token", "anyone", {
    summary: "Send alerts to an inbound monitor, in its format",
    ...common,
    body: z.union([alertmanagerPayload, grafanaPayload, eventsV2Payload, genericPayload]),
    handle: (input) => receive(input),
  }),
  bytesRoute("POST /api/inbound/:token/v2/enqueue", "anyone", {
    summary: "Send an event to an inbound monitor, as clients of PagerDuty's Events API v2 do",
    ...common,
    body: eventsV2Payload,
    handle: (input) => receive(input, true),
  }),
];
