import type { MailWords } from "./shape.ts";

export const words: MailWords = {
  states: {
    investigating: "Investigating",
    identified: "Identified",
    monitoring: "Monitoring",
    resolved: "Resolved",
  },
  impacts: { minor: "Minor", major: "Major", critical: "Critical" },
  affected: "Affected",
  impact: "Impact",
  time: "Time",
  span: (from, to) => `${from} – ${to}`,
  planned: "Planned maintenance",
  begun: "Maintenance has begun",
  recurring: "It recurs; this is the next time.",
  seePage: "See it on the status page",
  confirmSubject: "Confirm your subscription",
  confirmAsked: (title) => `Somebody, probably you, asked to be mailed news of ${title} at this address.`,
  confirmAll: "You will be told of everything that the page shows.",
  confirmSome: "You will be told of",
  confirmLink: "Confirm the subscription",
  confirmIgnore:
    "The link is good for 48 hours. If it was not you, ignore this mail: nothing more will be sent to you.",
  why: (title) => `You get this mail because you subscribed to ${title}.`,
  unsubscribe: "Unsubscribe",
  colon: ": ",
  comma: ", ",
};
