import { formatNumber } from "../format.ts";
import { counted, inLanguage, type Texts, type WordedFacts } from "./texts.ts";

const number = (value: number) => formatNumber(value, "en-US");
const times = (count: number) => (count === 1 ? "once" : count === 2 ? "twice" : `${number(count)} times`);

const reminder = ({ reminder: nth, duration }: WordedFacts) =>
  nth === 0 ? "" : `Reminder ${nth}: ongoing for ${duration} and not yet acknowledged.`;

function dependents({ dependents: { names, count } }: WordedFacts): string {
  if (count === 0) return "";
  const named = names.slice(0, count);
  const rest = count - named.length;
  if (rest > 0) named.push(`${number(rest)} more`);
  const who = count === 1 ? "1 dependent is" : `${number(count)} dependents are`;
  return `${who} not alerted separately: ${list(named)}`;
}

const flaps = ({ flaps: count, incidentKind }: WordedFacts) =>
  count === 0
    ? ""
    : incidentKind === "threshold"
      ? `It exceeded the threshold again ${times(count)} in the meantime.`
      : `It went down again ${times(count)} in the meantime.`;

const opening = (facts: WordedFacts) => [facts.cause, reminder(facts), flaps(facts), dependents(facts)];
/** Its title has the cause already, except a reminder's. */
const passing = (facts: WordedFacts) => opening(facts).slice(facts.value !== "" && facts.reminder === 0 ? 1 : 0);
/** Its title has the cause already. */
const named = (facts: WordedFacts) => opening(facts).slice(1);
const lasted = (state: string) => (facts: WordedFacts) => [
  `It was ${state} for ${facts.duration}.`,
  facts.cause === "" ? "" : `Cause: ${facts.cause}`,
  flaps(facts),
];
const still = ({ reminder: nth }: WordedFacts) => (nth > 0 ? "still " : "");
const list = (names: readonly string[]) => names.join(", ");
const limit = ({ threshold }: WordedFacts) => (threshold === "" ? "its threshold" : threshold);

/** The fault of a target that flaps or flapped. */
const wrong = ({ incidentKind, metric }: WordedFacts) =>
  ({
    down: "down",
    offline: "offline",
    stale: "without results",
    threshold: `above its ${metric} threshold`,
    partial: "down from some locations",
    slow: "slow",
    external: "alerting",
    slo: "spending its error budget too fast",
  })[incidentKind];

export const texts: Texts = {
  titles: {
    down: (facts) => `${facts.name} is ${still(facts)}down`,
    recovery: ({ name }) => `${name} is up again`,
    offline: (facts) => `${facts.name} is ${still(facts)}offline`,
    online: ({ name }) => `${name} is online again`,
    threshold: (facts) =>
      facts.reminder > 0 || facts.value === ""
        ? `${facts.name}: ${facts.metric} is ${still(facts)}above ${limit(facts)}`
        : `${facts.name}: ${facts.metric} at ${facts.value}, above ${limit(facts)}`,
    cleared: ({ name, metric }) => `${name}: ${metric} is back to normal`,
    stale: (facts) => `${facts.name}: ${facts.reminder > 0 ? "still " : ""}no check results`,
    fresh: ({ name }) => `${name}: check results are back`,
    partial: (facts) => `${facts.name} is ${still(facts)}down from some locations`,
    whole: ({ name }) => `${name} is up from all locations again`,
    slow: (facts) => `${facts.name} is ${still(facts)}slow`,
    fast: ({ name }) => `${name} is no longer slow`,
    external: (facts) => `${facts.name}: ${facts.reminder > 0 ? "still open: " : ""}${facts.cause}`,
    resolved: ({ name, cause }) => `${name}: resolved: ${cause}`,
    burning: ({ cause, metric, reminder: nth }) =>
      nth > 0 ? `${metric}: still spending its error budget too fast` : cause,
    calm: ({ metric }) => `${metric}: no longer spending its error budget too fast`,
    flapping: ({ name, incidentKind, metric }) =>
      incidentKind === "threshold" ? `${name}: ${metric} is flapping` : `${name} is flapping`,
    steady: (facts) =>
      facts.resolution === undefined
        ? `${facts.name} has stopped flapping and is still ${wrong(facts)}`
        : `${facts.name} is stable again`,
    test: () => "Test: this channel receives Sonde's alerts",
  },
  lines: {
    down: opening,
    recovery: lasted("down"),
    offline: opening,
    online: lasted("offline"),
    threshold: passing,
    cleared: (facts) => lasted(`above ${limit(facts)}`)(facts),
    stale: opening,
    fresh: lasted("without check results"),
    partial: opening,
    whole: lasted("down from some locations"),
    slow: opening,
    fast: lasted("slow"),
    external: named,
    resolved: ({ duration }) => [`The alert was open for ${duration}.`],
    burning: (facts) => [...opening(facts).slice(facts.reminder === 0 ? 1 : 0), `${facts.name} spends most of it.`],
    calm: ({ duration, cause }) => [`It took ${duration}.`, cause === "" ? "" : `First alert: ${cause}`],
    flapping: (facts) => [
      "It keeps going up and down. You'll be notified once it is stable instead of on every change.",
      facts.cause === "" ? "" : `First cause: ${facts.cause}`,
      flaps(facts),
      dependents(facts),
    ],
    steady: (facts) =>
      facts.resolution === undefined
        ? [facts.cause, flaps(facts), dependents(facts)]
        : [`It was flapping for ${facts.duration}.`, flaps(facts)],
    test: () => ["Someone tested this channel. Nothing is wrong: the incident below is a sample."],
  },
  closedByUser: {
    title: ({ name, resolution }) =>
      resolution === "deleted"
        ? `${name}: closed because it was deleted`
        : resolution === "paused"
          ? `${name}: closed because it was paused`
          : `${name}: closed because it was edited`,
    lines: (facts) => [
      `The incident was open for ${facts.duration}.`,
      facts.cause === "" ? "" : `Cause: ${facts.cause}`,
    ],
  },
  drill: {
    title: (isOver) => (isOver ? "Drill: over" : "Drill: please acknowledge"),
    lines: ({ isOver, acknowledgedBy, duration }) =>
      !isOver
        ? ["This is a fire drill. Nothing is down: acknowledge it to show that alerts reach you."]
        : acknowledgedBy.length > 0
          ? [`Acknowledged by ${list(acknowledgedBy)} after ${duration}.`]
          : [`It ended after ${duration}, and nobody acknowledged it.`],
    link: "Open the drills",
  },
  brief: ({ isOver, cause, duration, at, dependents: { count } }) =>
    [
      isOver ? `after ${duration}` : cause,
      isOver ? "" : `since ${at}`,
      isOver || count === 0 ? "" : count === 1 ? "1 dependent" : `${number(count)} dependents`,
    ]
      .filter((part) => part !== "")
      .join(" · "),
  several: (total, kinds) =>
    `${number(total)} alerts: ${list(kinds.map(({ kind, count }) => `${number(count)} ${inLanguage(counted[kind], "en-US")}`))}`,
  more: {
    title: (count) => `and ${number(count)} more`,
    causes: (causes) => list(causes.map(({ cause, count }) => `${number(count)} × ${cause}`)),
  },
  links: {
    incident: "Open the incident",
    acknowledge: "Acknowledge",
    acknowledgeAll: (count) => `Acknowledge all ${number(count)}`,
  },
  answers: {
    snooze: "Snooze 1 h",
    acknowledged: "Acknowledged",
    snoozed: "Snoozed for 1 hour",
    failed: "Not saved. Open the incident to try again",
  },
  metric: (name) =>
    name === "cpu" ? "CPU" : name === "memory" ? "memory" : name.startsWith("disk:") ? `disk ${name.slice(5)}` : name,
  list,
};
