import type { Impact, UpdateState } from "@sonde/proto/http/status/status";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../../../ui/badge.tsx";
import { CheckIcon, CrossIcon, EyeIcon, InfoIcon, PulseIcon, SearchIcon, WarnIcon } from "../../../ui/icons.tsx";

type Look = { tone: "plain" | "accent" | "up" | "warn" | "down"; icon: ComponentType<{ className?: string }> };

const impactLooks: Record<Impact, Look> = {
  minor: { tone: "plain", icon: InfoIcon },
  major: { tone: "warn", icon: WarnIcon },
  critical: { tone: "down", icon: CrossIcon },
};
export const stateLooks: Record<UpdateState, Look> = {
  investigating: { tone: "warn", icon: SearchIcon },
  identified: { tone: "warn", icon: EyeIcon },
  monitoring: { tone: "accent", icon: PulseIcon },
  resolved: { tone: "up", icon: CheckIcon },
};

/** How much an announced incident matters. */
export function ImpactBadge({ impact }: { impact: Impact }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = impactLooks[impact];
  return (
    <Badge tone={tone}>
      <Icon className="size-3" />
      {t(`announcements.impacts.${impact}`)}
    </Badge>
  );
}

/** The state of its newest update. */
export function StateBadge({ state }: { state: UpdateState }) {
  const { t } = useTranslation();
  const { tone, icon: Icon } = stateLooks[state];
  return (
    <Badge tone={tone}>
      <Icon className="size-3" />
      {t(`announcements.states.${state}`)}
    </Badge>
  );
}
