import { expect, test } from "vitest";
import type { FactKey } from "./facts.ts";
import { findSharedCauses, formingGroup, type HealthyTarget } from "./shared-cause.ts";

let id = 0;
const failing = (...facts: FactKey[]) => ({ incidentIds: [++id], facts });
const healthy = (...facts: FactKey[]): HealthyTarget => ({ facts, isSeen: true });
const many = <Target>(count: number, make: (at: number) => Target): Target[] =>
  Array.from({ length: count }, (_, at) => make(at));
const at = (last: number, network = "203.0.113"): FactKey[] => [
  `address ${network}.${last}`,
  `network ${network}.0/24`,
  "location default",
];
const elsewhere = (count: number) => many(count, (n) => healthy(...at(n, "198.51.100")));
const found = (...given: Parameters<typeof findSharedCauses>) =>
  findSharedCauses(...given).map(
    ({ fact, value, sharing, failing: of, healthy: up }) => `${sharing} of ${of}: ${fact} ${value}; ${up} up`,
  );

test.each<[title: string, given: Parameters<typeof findSharedCauses>, causes: string[]]>([
  [
    "41 of 42 share an address",
    [[...many(41, () => failing(...at(7))), failing(...at(1, "192.0.2"))], elsewhere(12)],
    ["41 of 42: address 203.0.113.7; 12 up"],
  ],
  [
    "an address that misses one of 42 is smaller than their network",
    [[...many(41, () => failing(...at(7))), failing(...at(8))], elsewhere(3)],
    ["41 of 42: address 203.0.113.7; 3 up"],
  ],
  [
    "a network explains more than one of its addresses",
    [[...many(3, () => failing(...at(7))), failing(...at(8)), failing(...at(9))], elsewhere(3)],
    ["5 of 5: network 203.0.113.0/24; 3 up"],
  ],
  [
    "a healthy target with the same address clears it, but not the certificate",
    [many(3, () => failing(...at(7), "certificate 0a (CA)")), [healthy(...at(7))]],
    ["3 of 3: certificate 0a (CA); 1 up"],
  ],
  ["all share only what a healthy target has, too", [many(3, () => failing(...at(7))), [healthy(...at(7))]], []],
  ["one failing monitor", [[failing(...at(7))], elsewhere(12)], []],
  ["everything fails: nothing tells the failing ones apart", [many(9, () => failing(...at(7))), []], []],
  [
    "healthy targets of which nothing is known tell nothing apart",
    [many(2, () => failing(...at(7))), [{ facts: [], isSeen: false }]],
    [],
  ],
  [
    "a healthy target of which nothing else is known still clears its domain",
    [many(2, () => failing("domain example.com")), [{ facts: ["domain example.com"], isSeen: false }, healthy()]],
    [],
  ],
  [
    "two of three are too few",
    [[...many(2, () => failing(...at(7))), failing(...at(1, "192.0.2"))], elsewhere(12)],
    [],
  ],
  [
    "three of four are enough",
    [[...many(3, () => failing(...at(7))), failing(...at(1, "192.0.2"))], elsewhere(12)],
    ["3 of 4: address 203.0.113.7; 12 up"],
  ],
  ["monitors without any fact count as failing", [[...many(2, () => failing(...at(7))), failing()], elsewhere(12)], []],
  ["no monitor has a fact", [many(4, () => failing()), elsewhere(12)], []],
  [
    "IPv6",
    [
      many(3, () => failing("address 2001:db8::7", "network 2001:db8::/64")),
      [healthy("address 2001:db8::8", "network 2001:db8::/64")],
    ],
    ["3 of 3: address 2001:db8::7; 1 up"],
  ],
  [
    "two causes at once split the group",
    [[...many(20, () => failing(...at(7))), ...many(9, () => failing(...at(5, "192.0.2")))], elsewhere(12)],
    ["20 of 20: address 203.0.113.7; 12 up", "9 of 9: address 192.0.2.5; 12 up"],
  ],
  [
    "what no cause explains counts for each of them",
    [
      [
        ...many(20, () => failing(...at(7))),
        ...many(9, () => failing(...at(5, "192.0.2"))),
        ...many(3, (n) => failing(`address 10.0.${n}.1`)),
      ],
      elsewhere(12),
    ],
    ["20 of 23: address 203.0.113.7; 12 up", "9 of 12: address 192.0.2.5; 12 up"],
  ],
  [
    "a small second cause is dropped, and its targets are unexplained again",
    [
      [
        ...many(20, () => failing(...at(7))),
        ...many(2, () => failing(...at(5, "192.0.2"))),
        ...many(3, (n) => failing(`address 10.0.${n}.1`)),
      ],
      elsewhere(12),
    ],
    ["20 of 25: address 203.0.113.7; 12 up"],
  ],
  [
    "one location fails, with targets that are checked from others, too",
    [
      many(4, (n) => failing(...at(n), "location eu1")),
      many(3, (n) => healthy(...at(n, "198.51.100"), "location us1")),
    ],
    ["4 of 4: network 203.0.113.0/24; 3 up"],
  ],
  [
    "one location fails",
    [many(4, () => failing("location eu1")), many(3, (n) => healthy(...at(n, "198.51.100"), "location us1"))],
    ["4 of 4: location eu1; 3 up"],
  ],
  [
    "more targets with the fact were not checked since than fail",
    [many(3, () => failing(...at(7))), elsewhere(5), many(3, () => ({ facts: at(7) }))],
    [],
  ],
  [
    "fewer targets with the fact were not checked since",
    [many(3, () => failing(...at(7))), elsewhere(5), many(2, () => ({ facts: at(7) }))],
    ["3 of 3: address 203.0.113.7; 5 up"],
  ],
  [
    "facts of one size: the one of most targets, then the first in order",
    [
      [
        failing("address 192.0.2.1", "address 192.0.2.2", "address 192.0.2.3"),
        failing("address 192.0.2.3", "address 192.0.2.2"),
      ],
      elsewhere(1),
    ],
    ["2 of 2: address 192.0.2.2; 1 up"],
  ],
])("%s", (_title, given, causes) => expect(found(...given)).toEqual(causes));

test("a cause has the incidents of all targets that share it, in order", () => {
  const [cause] = findSharedCauses(
    [
      { incidentIds: [9, 4], facts: at(7) },
      { incidentIds: [2], facts: at(7) },
    ],
    elsewhere(1),
  );
  expect(cause?.incidentIds).toEqual([2, 4, 9]);
});

test("a fact is looked up once for each of its targets", () => {
  let reads = 0;
  const counted = (target: { facts: FactKey[]; incidentIds: number[] }) => ({
    incidentIds: target.incidentIds,
    get facts() {
      reads += 1;
      return target.facts;
    },
  });
  const targets = many(1_000, (n) => counted(failing(...at(n % 250), `domain ${n}.example`)));
  const up = many(5_000, (n) => healthy(...at(n % 250, `198.51.${Math.floor(n / 250)}`)));
  expect(found(targets, up)).toEqual(["1000 of 1000: network 203.0.113.0/24; 5000 up"]);
  expect(reads).toBeLessThan(5 * 1_000);
});

const minutes = (...opened: number[]) =>
  opened.map((minute, index) => ({ id: index, targetId: index, openedAtMs: minute * 60_000 }));
test.each<[title: string, opened: number[], nowMinute: number, count: number]>([
  ["the newest is two minutes old", [10, 9], 12, 0],
  ["the newest is younger", [10, 9], 11.9, 2],
  ["each opened within two minutes of the next", [10, 8.5, 7, 5.5], 11, 4],
  ["an older group", [10, 9, 7, 6], 11, 2],
  ["a runner's clock is ahead", [12, 11.5], 11, 2],
  ["no incidents", [], 11, 0],
])("a forming group: %s", (_title, opened, nowMinute, count) =>
  expect(formingGroup(minutes(...opened), nowMinute * 60_000)).toHaveLength(count),
);
