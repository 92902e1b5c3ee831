import type { Announcement } from "@sonde/proto/http/status/announcements";
import type { Impact, UpdateState } from "@sonde/proto/http/status/states";
import { useTranslation } from "react-i18next";
import { Badge, type BadgeLook } from "../../../ui/badge.tsx";
import { CheckIcon, CrossIcon, EyeIcon, InfoIcon, PulseIcon, SearchIcon, WarnIcon } from "../../../ui/icons.tsx";

const impactLooks: Record<Impact, BadgeLook> = {
  minor: { tone: "plain", icon: InfoIcon },
  major: { tone: "warn", icon: WarnIcon },
  critical: { tone: "down", icon: CrossIcon },
};
const stateLooks: Record<UpdateState, BadgeLook> = {
  investigating: { tone: "warn", icon: SearchIcon },
  identified: { tone: "warn", icon: EyeIcon },
  monitoring: { tone: "accent", icon: PulseIcon },
  resolved: { tone: "up", icon: CheckIcon },
};

export function AnnouncementBadges({ of: { state, impact } }: { of: Pick<Announcement, "state" | "impact"> }) {
  const { t } = useTranslation();
  return (
    <>
      <StateBadge state={state} />
      <Badge {...impactLooks[impact]}>{t(`announcements.impacts.${impact}`)}</Badge>
    </>
  );
}

export function StateBadge({ state }: { state: UpdateState }) {
  const { t } = useTranslation();
  return <Badge {...stateLooks[state]}>{t(`announcements.states.${state}`)}</Badge>;
}
