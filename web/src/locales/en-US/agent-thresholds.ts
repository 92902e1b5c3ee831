export const agentThresholds = {
  title: "Thresholds",
  scope: { agent: "Own", global: "Global" },
  source: { agent: "This agent has thresholds of its own.", global: "The thresholds for all agents apply." },
  globally: "Global: {{value}}",
  off: "Off",
  edit: "Edit thresholds",
  hint: "Percent. Two reports in a row above a threshold open an incident. Leave a field empty to open none.",
  makesOwn:
    "Saving gives this agent notification settings of its own, copied from the global ones. Later changes of the global ones no longer apply to it.",
  save: "Save thresholds",
  saving: "Saving…",
  saved: "Thresholds saved",
  reset: "Reset to global",
  resetting: "Resetting…",
  askTitle: "Reset to the global thresholds?",
  askText:
    "All notification settings of “{{name}}” are removed: thresholds, channels and events. The global ones apply again. This action cannot be undone.",
  wasReset: "The global thresholds apply again",
  line: "Threshold",
  above: "{{value}}, above the threshold of {{threshold}}",
  below: "{{value}}, threshold {{threshold}}",
} as const;
