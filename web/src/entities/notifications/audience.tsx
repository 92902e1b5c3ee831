import type { NotificationSettings } from "@sonde/proto/http/notifications/settings";
import { channelsFor, matchingRule, policyFor } from "@sonde/proto/http/notifications/rules";
import type { TargetRef, TargetType } from "@sonde/proto/http/monitors/targets";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { paths } from "../../app/paths.ts";
import { formatList } from "../../lib/format.ts";
import { useTargetQuery } from "../targets/api.ts";
import { type AllSettings, type Channels, useChannelsInForceQuery } from "./api.ts";

/** Returns a target's own settings, or `undefined` if it uses the global ones. */
export function ownSettings(all: AllSettings, type: TargetType, id: number): NotificationSettings | undefined {
  return (type === "monitor" ? all.monitors : all.agents)[String(id)];
}

/** Returns the settings that apply to a target, and the channels of its alerts. `undefined` until it is loaded. */
export function useAudience(all: AllSettings, target: TargetRef) {
  const { data, error } = useTargetQuery(target);
  const channels = useChannelsInForceQuery(undefined, { refetchOnMountOrArgChange: true });
  const own = ownSettings(all, target.type, target.id);
  const settings = own ?? (target.type === "agent" ? all.globalAgent : all.globalMonitor);
  const hasRules = (settings.rules?.length ?? 0) > 0;
  if (hasRules && data === undefined && error === undefined) return undefined;
  const tags = data?.tags ?? [];
  const index = matchingRule(settings.rules, tags);
  const ids = channelsFor(settings, tags);
  const reached = channels.data?.filter(({ id, enabled }) => enabled && ids.includes(id));
  const policyId = policyFor(settings, tags);
  const isNobody = !settings.enabled || (policyId === undefined && (ids.length === 0 || reached?.length === 0));
  return {
    settings,
    isOwn: own !== undefined,
    rule: index < 0 ? undefined : { number: index + 1, tags: settings.rules?.[index]?.tags ?? [] },
    ids,
    policyId,
    isNobody,
    channels: channels.data,
    isUnavailable: channels.error !== undefined,
  };
}
export type TargetAudience = NonNullable<ReturnType<typeof useAudience>>;

/** Says which settings a target uses, and warns if nobody is notified. */
export function AudienceSource({ target: { type, id }, audience }: { target: TargetRef; audience: TargetAudience }) {
  const { t, i18n } = useTranslation();
  const { isOwn, rule, isNobody, settings } = audience;
  const tags = formatList(rule?.tags ?? [], i18n.language);
  return (
    <>
      {isNobody && (
        <p className="mb-2 rounded-md border border-warn/55 bg-warn-soft px-3 py-2 text-warn-ink">
          <span className="font-medium">{t("alerting.nobody")}</span>{" "}
          <Link to={isOwn ? paths.targetNotifications(type, id) : paths.notificationSettings} className="underline">
            {t("alerting.view")}
          </Link>
        </p>
      )}
      <p>
        {isOwn
          ? t("alerting.source.own")
          : rule === undefined
            ? t(`alerting.source.${type}`)
            : t(`alerting.ruleOf.${type}`, { number: rule.number, tags })}{" "}
        {!settings.enabled && t("alerting.off")}
      </p>
    </>
  );
}

export function problemOf({ enabled, refusal, state }: Channels[number]) {
  if (!enabled) return "channelOff";
  if (refusal !== undefined) return "channelBroken";
  return state === "failing" ? "channelFailing" : undefined;
}

type ChannelNamesProps = {
  ids: readonly number[];
  /** The escalation policy of the same settings. */
  policyId?: number | undefined;
  channels: Channels | undefined;
  isUnavailable: boolean;
};

/** Names of channels, then the policy. Channels that cannot deliver at present are marked. */
export function ChannelNames({ policyId, ...named }: ChannelNamesProps) {
  const { t } = useTranslation();
  if (policyId === undefined) return <NamesOf {...named} />;
  return (
    <>
      {named.ids.length > 0 && <NamesOf {...named} />}
      <Link to={paths.policyEdit(policyId)} className="text-accent-strong hover:underline">
        {t("alerting.policy")}
      </Link>
    </>
  );
}

function NamesOf({ ids, channels, isUnavailable }: Omit<ChannelNamesProps, "policyId">) {
  const { t } = useTranslation();
  if (ids.length === 0) return <span className="text-warn-ink">{t("alerting.noChannel")}</span>;
  if (channels === undefined) return isUnavailable ? t("alerting.channelCount", { count: ids.length }) : "…";
  return (
    <ul>
      {ids.map((id) => {
        const channel = channels.find((each) => each.id === id);
        if (channel === undefined) return null;
        const { name } = channel;
        const problem = problemOf(channel);
        return (
          <li key={id}>
            {name}
            {problem !== undefined && <span className="text-warn-ink"> · {t(`alerting.${problem}`)}</span>}
          </li>
        );
      })}
    </ul>
  );
}
