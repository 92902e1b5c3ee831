import type { NotificationSettings } from "./settings.ts";

/** Channels are ids, or keys in documents. */
export type SettingsRule<Channel = number> = {
  tags: string[];
  channels: Channel[];
  policyId?: number | undefined;
};

/** Returns the index of the first rule that has one of a target's tags, or -1. */
export const matchingRule = (rules: readonly SettingsRule[] | undefined, tags: readonly string[]): number =>
  rules?.findIndex((rule) => rule.tags.some((tag) => tags.includes(tag))) ?? -1;

/** Returns the channels of a target with these tags: those of the first rule that matches, or the default ones. */
export const channelsFor = ({ rules, channels }: NotificationSettings, tags: readonly string[]): readonly number[] =>
  rules?.[matchingRule(rules, tags)]?.channels ?? channels;

/** Returns the escalation policy of a target with these tags: that of the first rule that matches, or the default one. */
export const policyFor = ({ rules, policyId }: NotificationSettings, tags: readonly string[]): number | undefined =>
  rules?.[matchingRule(rules, tags)]?.policyId ?? policyId ?? undefined;
