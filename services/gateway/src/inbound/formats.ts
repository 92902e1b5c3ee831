import { parseJson } from "@sonde/kit/http/request-body";
import {
  alertmanagerPayload,
  type AlertSeverity,
  eventsV2Payload,
  type ExternalAlert,
  genericAlert,
  genericPayloads,
  grafanaPayload,
  inboundBounds as bounds,
  type InboundFormat,
} from "@sonde/proto/http/monitors/inbound";
import { plainLine } from "@sonde/proto/http/text";
import { createHash, randomUUID } from "node:crypto";
import { refuseHostile, validate } from "../validate.ts";

/** `dedupKey`: of the only event of an `events-v2` request. */
export type ReadAlerts = { alerts: ExternalAlert[]; dedupKey?: string };

const readers: Readonly<Record<InboundFormat, (value: unknown) => ReadAlerts>> = {
  alertmanager: (value) => ({
    alerts: validate(alertmanagerPayload, value).alerts.map((alert) => ofPrometheus(alert)),
  }),
  grafana: (value) => ({
    alerts: validate(grafanaPayload, value).alerts.map(({ valueString, panelURL, dashboardURL, ...alert }) =>
      ofPrometheus(
        { ...alert, labels: valueString ? { ...alert.labels, valueString } : alert.labels },
        [panelURL, dashboardURL],
        alert.labels,
      ),
    ),
  }),
  "events-v2": (value) => {
    const event = validate(eventsV2Payload, value);
    const dedupKey = event.dedup_key ?? randomUUID().replaceAll("-", "");
    const key = keyOf(dedupKey);
    if (event.event_action !== "trigger") {
      const action = event.event_action === "resolve" ? "resolved" : "acknowledged";
      return { alerts: [{ key, action, title: "", severity: "warning", labels: {} }], dedupKey };
    }
    const { payload, links, client_url: clientUrl } = event;
    const { summary, severity, custom_details: details, ...named } = payload;
    const custom = typeof details === "object" && details !== null && !Array.isArray(details) ? details : {};
    const alert = {
      key,
      action: "firing",
      title: titleOf(summary),
      severity: severityOf(severity),
      link: linkOf(links?.[0]?.href, clientUrl),
      labels: labelsOf({ ...named, ...custom }),
    } as const;
    return { alerts: [alert], dedupKey };
  },
  generic(value) {
    refuseHostile(value);
    const given = Array.isArray(value) ? validate(genericPayloads, value) : [validate(genericAlert, value)];
    return {
      alerts: given.map(({ title, key = title, severity, status, link, labels }) => ({
        key: keyOf(key),
        action: status,
        title: titleOf(title),
        severity: severityOf(severity),
        link: linkOf(link),
        labels: labelsOf(labels),
      })),
    };
  },
};

/** Reads a request in the format of its monitor. @throws AppError invalid, with the path of each problem */
export const readAlerts = (format: InboundFormat, bytes: Uint8Array): ReadAlerts =>
  readers[format](parseJson(Buffer.from(bytes)));

type PrometheusAlert = ReturnType<typeof alertmanagerPayload.parse>["alerts"][number];

/** @param identity labels that identify an alert without fingerprint */
function ofPrometheus(
  { status, labels, annotations, generatorURL, fingerprint }: PrometheusAlert,
  links: readonly (string | undefined)[] = [],
  identity = labels,
): ExternalAlert {
  const shown = labelsOf(labels);
  const { summary, title, description } = labelsOf(annotations);
  return {
    key: keyOf(fingerprint || JSON.stringify(inOrder(identity))),
    action: status,
    title: titleOf(summary, title, labelsOf(identity)["alertname"], description),
    severity: severityOf(typeof labels["severity"] === "string" ? labels["severity"] : ""),
    link: linkOf(...links, generatorURL),
    labels: shown,
  };
}

const inOrder = (labels: object) => Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1));

const lineOf = (text: string, max: number) =>
  plainLine(text.slice(0, 2 * max).replaceAll(/\s+/g, " "))
    .trim()
    .slice(0, max)
    .replace(/[\uD800-\uDBFF]$/, "");

const titleOf = (...texts: readonly (string | undefined)[]) =>
  texts.map((text) => lineOf(text ?? "", bounds.title)).find((text) => text !== "") ?? "Alert";

/** A key that is too long or cannot be stored is replaced with its hash. */
const keyOf = (text: string) =>
  text !== "" && text.length <= bounds.key && plainLine(text) === text
    ? text
    : createHash("sha256").update(text).digest("hex");

function linkOf(...candidates: readonly (string | null | undefined)[]): string | undefined {
  const urls = candidates.flatMap((text) => (text ? (URL.parse(text) ?? []) : []));
  return urls.find(({ protocol, href }) => /^https?:$/.test(protocol) && href.length <= bounds.link)?.href;
}

function labelsOf(given: object): Record<string, string> {
  const texts = Object.entries(given).flatMap(([name, value]: [string, unknown]) =>
    ["string", "number", "boolean"].includes(typeof value) && value !== ""
      ? [[lineOf(name, bounds.labelName), lineOf(String(value), bounds.labelValue)] as const]
      : [],
  );
  return Object.fromEntries(texts.slice(0, bounds.labels));
}

/** docs/inbound.md lists these words. */
const words: Readonly<Record<AlertSeverity, string>> = {
  critical:
    "critical crit page error err high emergency emerg fatal alert disaster major severe urgent p1 p2 sev1 sev2",
  warning: "warning warn medium moderate average minor p3 sev3",
  info: "info information informational notice low debug none ok p4 p5 sev4 sev5",
};
const severities = new Map(
  Object.entries(words).flatMap(([severity, own]) =>
    own.split(" ").map((word) => [word, severity as AlertSeverity] as const),
  ),
);

/** A word that is missing or unknown is a warning. */
export const severityOf = (word: string): AlertSeverity => severities.get(word.trim().toLowerCase()) ?? "warning";
