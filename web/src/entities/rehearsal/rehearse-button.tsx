import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { loadLaterWords } from "../../app/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/states.tsx";
import type { RehearsalDraft } from "./rehearsal.tsx";

const Rehearsal = lazy(async () => (await Promise.all([import("./rehearsal.tsx"), loadLaterWords()]))[0]);

/** Shows whom the draft would have notified. @param draftOf `null` if the form has errors */
export function RehearseButton({ draftOf }: { draftOf: () => RehearsalDraft | null }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<{ draft: RehearsalDraft | null; atMs: number } | null>(null);
  return (
    <>
      <Button onClick={() => setShown({ draft: draftOf(), atMs: Date.now() })}>
        {t("notificationSettings.rehearse")}
      </Button>
      {shown !== null && (
        <div aria-live="polite" className="order-first w-full min-w-0">
          <Suspense fallback={<Skeleton className="h-24 w-full" />}>
            <Rehearsal key={shown.atMs} {...shown} />
          </Suspense>
        </div>
      )}
    </>
  );
}
