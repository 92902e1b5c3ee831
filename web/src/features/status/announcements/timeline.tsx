import type { Announcement } from "@sonde/proto/http/status/announcements";
import { useTranslation } from "react-i18next";
import { Card } from "../../../ui/card.tsx";
import { Markdown } from "../../../ui/markdown/markdown.tsx";
import { Time } from "../../../ui/time.tsx";
import { StateBadge } from "./badges.tsx";

/** All updates, newest first, as the page has it. */
export function Timeline({ announcement: { updates } }: { announcement: Announcement }) {
  const { t } = useTranslation();
  return (
    <Card title={t("announcements.updates")}>
      {updates.length === 0 ? (
        <p className="text-muted">{t("announcements.noUpdates")}</p>
      ) : (
        <ol className="flex flex-col gap-4">
          {updates.toReversed().map(({ id, state, text, at }) => (
            <li key={id} className="flex flex-col gap-1.5 border-l-2 border-line pl-3">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <StateBadge state={state} />
                <span className="text-[13px] text-faint">
                  <Time at={at} />
                </span>
              </p>
              <Markdown text={text} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
