import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { useTranslation } from "react-i18next";
import { useNow } from "../../../lib/hooks.ts";
import { formatDuration, formatPercent, formatRelative, formatSpan } from "../../../lib/format.ts";
import { shownState, type ShownState } from "../../../ui/badge.tsx";
import { Tile, TileRow } from "../../../ui/card.tsx";
import { Time } from "../../../ui/time.tsx";
import { Reason } from "../../../ui/health/reason.tsx";
import { checkKey, useCheckMonitorMutation } from "../api.ts";

const tones: Record<ShownState, "plain" | "up" | "down"> = {
  up: "up",
  down: "down",
  pending: "plain",
  paused: "plain",
  noData: "plain",
};

/** The figures that matter most, and when the next ones come. */
export function DetailTiles({ monitor }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const { status, stale, statusSince, responseTime, lastCheckedAt, lastError, uptime } = monitor;
  const state = shownState(status, stale);
  const [, checked] = useCheckMonitorMutation({ fixedCacheKey: checkKey(monitor.id) });
  // The result of a check by hand, right above, shows it already.
  const isSaid = checked.data?.result.error?.message === lastError;
  return (
    <>
      <TileRow className="lg:grid-cols-4">
        <Tile
          label={t("monitor.currentStatus")}
          value={t(`status.detail.${state}`)}
          tone={tones[state]}
          note={<Since at={statusSince} />}
        />
        <Tile
          label={t("monitor.lastResponse")}
          value={formatDuration(responseTime, i18n.language)}
          note={lastCheckedAt === null ? t("monitor.waiting") : <LastCheck at={lastCheckedAt} />}
        />
        <Tile
          label={t("monitor.uptime24h")}
          value={formatPercent(uptime.h24, i18n.language)}
          note={<NextCheck monitor={monitor} />}
        />
        <Tile
          label={t("monitor.uptime30d")}
          value={formatPercent(uptime.d30, i18n.language)}
          note={monitor.certificateExpiresAt === undefined ? null : <Certificate at={monitor.certificateExpiresAt} />}
        />
      </TileRow>
      {status === "down" && lastError !== undefined && !isSaid && (
        <p className="rounded-md border border-down/45 bg-down-soft px-3 py-2 text-down-ink">
          <Reason text={lastError} />
        </p>
      )}
    </>
  );
}

function Since({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  return t("monitor.since", { span: formatSpan(useNow() - Date.parse(at), i18n.language) });
}

function LastCheck({ at }: { at: string }) {
  const { t, i18n } = useTranslation();
  return t("monitor.lastChecked", {
    when: formatRelative(Math.min(Date.parse(at), useNow()), useNow(), i18n.language),
  });
}

function NextCheck({ monitor: { status, nextCheckAt } }: { monitor: Monitor }) {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  if (status === "paused") return t("monitor.pausedNote");
  if (nextCheckAt === null) return null;
  if (Date.parse(nextCheckAt) - nowMs < 1000) return t("monitor.nextCheckNow");
  return t("monitor.nextCheck", { when: formatRelative(nextCheckAt, nowMs, i18n.language) });
}

const soonMs = 14 * 86_400_000;

function Certificate({ at }: { at: string }) {
  const { t } = useTranslation();
  const isSoon = Date.parse(at) - useNow() < soonMs;
  return (
    <span className={isSoon ? "text-warn-ink" : undefined}>
      {t("monitor.certificate")} <Time at={at} relative />
    </span>
  );
}
