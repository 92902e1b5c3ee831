import type { InboundFormat } from "@sonde/proto/http/monitors/inbound";

const [title, link] = ["Backup of db-1 failed", "https://ci.example.com/jobs/42"];
const json = (...lines: string[]) =>
  `curl --fail --retry 5 -H 'Content-Type: application/json' -d '{${lines.join(", ")}}' \\\n  `;

/** Returns what to enter in the other system, or to run, for the address of a monitor. */
export const snippets: Readonly<Record<InboundFormat, (url: string) => string>> = {
  alertmanager: (url) => `route:
  receiver: sonde
receivers:
  - name: sonde
    webhook_configs:
      - url: ${url}
        send_resolved: true`,
  grafana: (url) => `apiVersion: 1
contactPoints:
  - orgId: 1
    name: Sonde
    receivers:
      - uid: sonde
        type: webhook
        settings:
          url: ${url}`,
  "events-v2": (url) =>
    json(
      `"event_action": "trigger"`,
      `"dedup_key": "backup-db-1"`,
      `"routing_key": "any"`,
      `"payload": {"summary": "${title}", "source": "db-1", "severity": "critical"}`,
    ) + `${url}/v2/enqueue`,
  generic: (url) =>
    json(`"title": "${title}"`, `"key": "backup-db-1"`, `"severity": "critical"`, `"link": "${link}"`) +
    `${url}\n# When it works again:\n` +
    json(`"title": "${title}"`, `"key": "backup-db-1"`, `"status": "resolved"`) +
    url,
};
