import { expect, test } from "vitest";
import { updated } from "./export.ts";

const file = `# Ours.
source: prod-git   # never exported

defaults:
  monitor: {interval: 1}

channels:
  ops:
    type: slack
    webhookUrl: {env: SLACK_URL} # a reference stays

monitors:
  # The shop.
  shop:
    url: https://shop.example.com/ # its address
    tags:
      - a # first
      - b
    adopt: true
  gone: {url: https://gone.example.com/}
  same: {url: "https://same.example.com/"}
`;
const config = {
  channels: { ops: { type: "slack", name: "Ops", webhookUrl: { env: "OPS_WEBHOOK_URL" } } },
  monitors: {
    shop: { url: "https://new.example.com/", tags: ["a", "c"], paused: true },
    same: { url: "https://same.example.com/" },
    added: { type: "tcp", host: "db", port: 5432, notify: { channels: ["ops"] } },
  },
  settings: { monitors: { reminders: 30 } },
};

test("changes what differs and leaves comments, order and references as they are", () => {
  expect(updated(file, config)).toBe(`# Ours.
source: prod-git # never exported

defaults:
  monitor: {interval: 1}

channels:
  ops:
    type: slack
    webhookUrl: {env: SLACK_URL} # a reference stays

monitors:
  # The shop.
  shop:
    url: https://new.example.com/ # its address
    tags:
      - a # first
      - c
    adopt: true
  same: {url: "https://same.example.com/"}
  added:
    type: tcp
    host: db
    port: 5432
    notify:
      channels:
        - ops
settings:
  monitors:
    reminders: 30
`);
});

test("a file that is up to date stays as it is, whatever its style", () => {
  const styles = [
    "monitors:\n  a:\n    tags:\n    - x\n    - y\n    url: u\n",
    "monitors:\n    a:\n        tags: [ x, y ]\n        url: 'u'\n",
    'monitors:\n  a: { "tags": [ x, y ], url: u }\n',
  ];
  for (const style of styles) expect(updated(style, { monitors: { a: { tags: ["x", "y"], url: "u" } } })).toBe(style);
});

test("an alias stays one while its anchor has the same value", () => {
  const text = "monitors:\n  a: {tags: &t [x, y], url: u}\n  b:\n    tags: *t\n    url: u\n";
  const [a, b] = [
    { tags: ["x", "y"], url: "u" },
    { tags: ["x", "y"], url: "u" },
  ];
  expect(updated(text, { monitors: { a, b } })).toBe(text);
  const alone = "monitors:\n  b:\n    tags: [x, y]\n    url: u\n";
  expect(updated(text, { monitors: { b } })).toBe(alone);
  expect(updated(text, { monitors: { a: { ...a, tags: ["z"] }, b } })).toContain(
    "b:\n    tags:\n      - x\n      - y\n",
  );
});

test("what Sonde does not have any more is removed, with a section that is empty then", () => {
  expect(updated("monitors:\n  a: {url: u}\ntemplates:\n  t: {}\n", { monitors: { a: { url: "u" } } })).toBe(
    "monitors:\n  a: {url: u}\n",
  );
  expect(updated("", { monitors: { a: { url: "u" } } })).toBe("monitors:\n  a:\n    url: u\n");
});

test("a value of another kind takes the place of the old one", () => {
  const text = "monitors:\n  a:\n    expectedStatus: 200 # fine\n    url: u\n    notify: {channels: [x]}\n";
  expect(
    updated(text, { monitors: { a: { expectedStatus: "2xx", url: "1", notify: { channels: ["x", "y"] } } } }),
  ).toBe('monitors:\n  a:\n    expectedStatus: 2xx # fine\n    url: "1"\n    notify: {channels: [x, y]}\n');
});
