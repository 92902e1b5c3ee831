import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { checkTypes, isPassive, kindOf } from "@sonde/proto/http/monitors/kinds";
import { defaultTimeoutSeconds, sharedBy, sharedDefaultsOf } from "@sonde/proto/http/monitors/monitors";
import { channelTypeNames, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import { agentSettings, monitorSettings } from "@sonde/proto/http/notifications/settings";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";

export type Entry = Record<string, unknown>;

/** Adds the defaults that an export omits. */
export function wholeOf(section: string, key: string, entry: Entry): Entry {
  if (section === "monitors") return wholeMonitor(key, entry);
  if (section === "channels") {
    const type = channelTypeNames.find((one) => one === entry["type"]);
    return { name: key, enabled: true, ...(type && defaultsOf(channelTypeOf(type).fields)), ...entry };
  }
  if (section === "maintenance") return { name: key, timeZone: "UTC", public: true, note: "", rrule: "", ...entry };
  if (section === "settings") return wholeSettings(key === "agents" ? agentSettings : monitorSettings, entry);
  if (section === "page") return { ...defaultStatusConfig, subscriptions: { enabled: false, channel: null }, ...entry };
  return { name: key, ...entry };
}

function wholeMonitor(key: string, entry: Entry): Entry {
  const type = checkTypes.find((one) => one === entry["type"]) ?? "http";
  const whole: Entry = {
    type,
    name: key,
    ...sharedBy(type, { ...sharedDefaultsOf(type), locations: ["default"] } as never),
    ...defaultsOf(kindOf(type).fields),
    ...entry,
  };
  const { timeout = defaultTimeoutSeconds(Number(whole["interval"])), notify } = entry;
  return {
    ...whole,
    ...(!isPassive(type) && { timeout }),
    ...(notify !== undefined && { notify: wholeSettings(monitorSettings, notify as Entry) }),
  };
}

function wholeSettings(schema: typeof monitorSettings | typeof agentSettings, entry: Entry): Entry {
  return { ...schema.parse({}), channels: [], template: null, quietHours: null, language: null, ...entry };
}
