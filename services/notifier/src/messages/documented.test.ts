import { channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { templateVariables } from "@sonde/proto/http/notifications/templates";
import { webhookEvent } from "@sonde/proto/http/notifications/webhook-event";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../../docs/notifications.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));
const named = rows.flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));

test.each([...channelTypeNames, ...templateVariables])("docs/notifications.md explains %s", (name) => {
  expect(named).toContain(name);
});

test("the documented webhook body is valid", () => {
  const [, example = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(webhookEvent.strict().safeParse(JSON.parse(example)).error).toBeUndefined();
});
