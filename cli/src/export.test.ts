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

test("changes what differs and keeps comments, order and references", () => {
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

test("an interval below a minute has its short form, and keeps its form in the file", () => {
  const given = `defaults:
  monitor: {interval: 30s}
monitors:
  kept: {url: "https://a.test/", interval: 10 s}
  same: {url: "https://a.test/"}
  slower: {url: "https://a.test/", interval: 10s}
`;
  const monitors = {
    kept: { url: "https://a.test/", interval: 10 / 60 },
    same: { url: "https://a.test/", interval: 0.5 },
    slower: { url: "https://a.test/", interval: 1.5 },
    added: { url: "https://a.test/", interval: 1 / 60 },
    whole: { url: "https://a.test/", interval: 5 },
  };
  expect(updated(given, { monitors })).toBe(`defaults:
  monitor: {interval: 30s}
monitors:
  kept: {url: "https://a.test/", interval: 10 s}
  same: {url: "https://a.test/"}
  slower: {url: "https://a.test/", interval: 90s}
  added:
    url: https://a.test/
    interval: 1s
  whole:
    url: https://a.test/
    interval: 5
`);
});

test("a field of a file stays if Sonde has the same value, even by default", () => {
  const text = `defaults:
  monitor: {interval: 1, tags: [prod], notify: {cooldownMinutes: 30}}
channels:
  ops: {type: ntfy, topic: t, enabled: true}
monitors:
  shop: {type: http, url: https://shop.example.com/, name: shop, method: GET, timeout: 10, paused: false}
  db: {type: tcp, host: db.example.com, port: 5432, tags: [], notify: {enabled: true, events: {down: true}}}
settings:
  monitors: {cooldownMinutes: 30, template: null}
page:
  title: Sonde
  theme: {mode: auto, accent: "#2563eb"}
`;
  const notify = { channels: ["ops"] };
  const config = {
    channels: { ops: { type: "ntfy", topic: "t" } },
    monitors: {
      shop: { url: "https://shop.example.com/", interval: 1, tags: ["prod"], notify },
      db: { type: "tcp", host: "db.example.com", port: 5432, interval: 1, notify },
    },
  };
  expect(updated(text, config)).toBe(text);
});

test("values that differ from the file's defaults are written to the monitor", () => {
  const text =
    "defaults:\n  monitor: {interval: 5, tags: [prod]}\nmonitors:\n  shop: {url: https://shop.example.com/}\n";
  const monitors = {
    shop: { url: "https://shop.example.com/", tags: ["prod"] },
    added: { url: "https://added.example.com/", interval: 5 },
  };
  expect(updated(text, { monitors })).toBe(
    "defaults:\n  monitor: {interval: 5, tags: [prod]}\nmonitors:\n  shop: {url: https://shop.example.com/, interval: 1}\n" +
      "  added:\n    url: https://added.example.com/\n    interval: 5\n    tags: []\n",
  );
});

test("a field changes to Sonde's value, and one that Sonde does not have is removed", () => {
  const text = "monitors:\n  a: {url: https://a.test/, interval: 5, keyword: x, notify: {cooldownMinutes: 5}}\n";
  expect(updated(text, { monitors: { a: { url: "https://a.test/", notify: { channels: ["x"] } } } })).toBe(
    "monitors:\n  a: {url: https://a.test/, interval: 1, notify: {cooldownMinutes: 30}}\n",
  );
});

test("an object that users took over is matched to the file's by name and type, with its key", () => {
  const text = `channels:
  ops: {type: ntfy, topic: t, name: Ops team}
policies:
  night: {steps: [{after: 5, notify: ["channel:ops", "user:ada"]}]}
drills:
  weekly: {target: "policy:night", schedule: weekly}
monitors:
  shop: {name: The shop, url: https://old.test/, notify: {channels: [ops]}}
  web: {url: https://web.test/, dependsOn: [monitor:shop]}
page:
  monitors: [shop]
`;
  const config = {
    channels: { "ops-team": { name: "Ops team", type: "ntfy", topic: "t", adopt: true } },
    policies: { night: { steps: [{ after: 5, notify: ["channel:ops-team", "user:ada"] }] } },
    drills: { night: { target: "policy:night", schedule: "monthly", adopt: true } },
    monitors: {
      "the-shop": { name: "The shop", url: "https://new.test/", notify: { channels: ["ops-team"] }, adopt: true },
      web: { url: "https://web.test/", dependsOn: ["monitor:the-shop"] },
    },
    page: { monitors: ["the-shop"] },
  };
  expect(updated(text, config)).toBe(
    text
      .replace("Ops team}", "Ops team, adopt: true}")
      .replace("schedule: weekly", "schedule: monthly, adopt: true")
      .replace("old.test", "new.test")
      .replace("[ops]}}", "[ops]}, adopt: true}"),
  );
});

test("an up-to-date file does not change, in any style", () => {
  const styles = [
    "monitors:\n  a:\n    tags:\n    - x\n    - y\n    url: u\n",
    "monitors:\n    a:\n        tags: [ x, y ]\n        url: 'u'\n",
    'monitors:\n  a: { "tags": [ x, y ], url: u }\n',
  ];
  for (const style of styles) expect(updated(style, { monitors: { a: { tags: ["x", "y"], url: "u" } } })).toBe(style);
});

test("an alias stays while its anchor has the same value", () => {
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

test("a merge key stays, and differences are written to the object", () => {
  const text = "monitors:\n  a: &a {url: u, tags: [x], note: n}\n  b: {<<: *a, url: v}\n";
  const [a, b] = [
    { url: "u", tags: ["x"], note: "n" },
    { url: "v", tags: ["x"], note: "n" },
  ];
  expect(updated(text, { monitors: { a, b } })).toBe(text);
  // In either order.
  for (const monitors of [
    { a: { ...a, note: "new" }, b },
    { b, a: { ...a, note: "new" } },
  ])
    expect(updated(text, { monitors })).toBe(
      "monitors:\n  a: &a {url: u, tags: [x], note: new}\n  b: {<<: *a, url: v, note: n}\n",
    );
  expect(updated(text, { monitors: { a, b: { url: "v", note: "n" } } })).toContain("b: {<<: *a, url: v, tags: []}");
  expect(updated(text, { monitors: { b } })).toContain("b: {<<: {url: u, tags: [x], note: n}, url: v}");
  const secret = "channels:\n  a: &a {type: slack, webhookUrl: {env: A}}\n  b: {<<: *a}\n";
  const channel = { type: "slack", webhookUrl: { env: "B_WEBHOOK_URL" } };
  expect(updated(secret, { channels: { a: channel, b: channel } })).toBe(secret);
});

test("objects that Sonde does not have are removed, and then empty sections", () => {
  expect(updated("monitors:\n  a: {url: u}\ntemplates:\n  t: {}\n", { monitors: { a: { url: "u" } } })).toBe(
    "monitors:\n  a: {url: u}\n",
  );
  expect(updated("", { monitors: { a: { url: "u" } } })).toBe("monitors:\n  a:\n    url: u\n");
});

test("a value of another type replaces the old one", () => {
  const text = "monitors:\n  a:\n    expectedStatus: 200 # fine\n    url: u\n    notify: {channels: [x]}\n";
  expect(
    updated(text, { monitors: { a: { expectedStatus: "2xx", url: "1", notify: { channels: ["x", "y"] } } } }),
  ).toBe('monitors:\n  a:\n    expectedStatus: 2xx # fine\n    url: "1"\n    notify: {channels: [x, y]}\n');
});
