/** The detail page of a monitor: the check by hand, the history and its figures. */
export const monitorDetail = {
  failedOnce: "Failed {{attempt}} of {{attempts}}, checking again…",
  attempt: "Attempt",
  attemptOf: "{{attempt}} of {{attempts}}",
  stateDiffers: {
    paused: "The monitor is paused: its state does not change.",
    flapping: "The monitor is flapping: it becomes Normal after two good checks in a row.",
    locations: "This is what {{location}} found. The monitor stays {{status}}: most of its locations decide.",
    undecided: "The monitor stays {{status}} for now: the next checks decide.",
  },
} as const;
