import { type ReceivedRequest, type StandInOptions, startHttpStandIn } from "./stand-in.ts";

const routingKey = "0123456789abcdef0123456789abcdef";

export const start = (options?: StandInOptions) =>
  startHttpStandIn(
    {
      type: "pagerduty",
      config: (url) => ({ routingKey, apiBaseUrl: url }),
      answer(request, accept) {
        const faults = faultsOf(request);
        if (faults.length > 0) return invalid(...faults);
        accept();
        const { dedup_key } = request.json as { dedup_key: string };
        return { status: 202, body: { status: "success", message: "Event processed", dedup_key } };
      },
      throttle: {
        status: 429,
        body: { status: "throttle exceeded", message: "Requests for this service are arriving too quickly" },
      },
      named: {
        failing: { status: 500, body: "Internal Server Error" },
        invalid: invalid("'payload.summary' is missing"),
      },
      limits: [
        { key: ({ json }) => String((json as { routing_key?: unknown })?.routing_key), requests: 120, perMs: 60_000 },
      ],
    },
    options,
  );

const invalid = (...errors: string[]) => ({
  status: 400,
  body: { status: "invalid event", message: "Event object is invalid", errors },
});

function faultsOf({ method, path, json, text }: ReceivedRequest): string[] {
  if (method !== "POST" || path !== "/v2/enqueue") return ["not found"];
  const { routing_key, event_action, dedup_key, payload } = (json ?? {}) as Record<string, unknown>;
  const { summary, source, severity } = (payload ?? {}) as Record<string, unknown>;
  const isText = (value: unknown, max: number) => typeof value === "string" && value !== "" && value.length <= max;
  const faults: string[] = [];
  if (routing_key !== routingKey) faults.push("Invalid routing key");
  if (!["trigger", "acknowledge", "resolve"].includes(String(event_action))) faults.push("'event_action' is invalid");
  if (!isText(dedup_key, 255)) faults.push("'dedup_key' is invalid");
  if (Buffer.byteLength(text) > 512_000) faults.push("Event is too large");
  if (event_action !== "trigger") return faults;
  if (!isText(summary, 1024)) faults.push("'payload.summary' is missing or too long");
  if (!isText(source, 1024)) faults.push("'payload.source' is missing");
  if (!["critical", "error", "warning", "info"].includes(String(severity)))
    faults.push("'payload.severity' is invalid");
  return faults;
}
