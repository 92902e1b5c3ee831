/** Snoozing an incident, and silencing a monitor, an agent or a tag: messages are held, everything else continues. */
export const quiet = {
  snooze: "Snooze",
  snoozeNote: "Send no messages about this incident",
  snoozed: "Snoozed {{end}}",
  snoozedUntil: "Snoozed until",
  snoozedBy: "by {{name}}",
  endSnooze: "End snooze",
  snoozeEnded: "Snooze ended",
  silence: "Silence",
  silenceNote: "Send no messages about {{name}}",
  silenced: "{{name}} is silenced {{end}}",
  silencedUntil: "Silenced until",
  endSilence: "End silence",
  silenceEnded: "Silence ended",
  showSilences: "All silences",
  ends: { m30: "30 minutes", h1: "1 hour", h4: "4 hours", morning: "Until 08:00" },
  span: { m30: "for 30 minutes", h1: "for 1 hour", h4: "for 4 hours", morning: "until 08:00" },
  list: "Silenced now",
  listText:
    "No messages are sent about these until the silence ends. Checks, uptime and the status page go on as usual.",
  tag: "tag",
} as const;
