import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../ui/card.tsx";
import { ChevronRightIcon } from "../../ui/icons.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { useSession } from "../../app/hooks.ts";
import { loadLaterWords } from "../../app/i18n.ts";

// Loaded when first rendered, because few visits open it.
const Loaded = lazy(async () => (await Promise.all([import("../../features/audit/changes.tsx"), loadLaterWords()]))[0]);

export function Changes(props: Parameters<typeof Loaded>[0]) {
  return (
    <Suspense fallback={<Skeleton className="h-40 w-full" />}>
      <Loaded {...props} />
    </Suspense>
  );
}

export function ChangesSection(props: Parameters<typeof Loaded>[0]) {
  const { t } = useTranslation();
  const { isAdmin } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  if (!isAdmin) return null;
  return (
    <Card flush className="overflow-hidden">
      <details className="group" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="flex min-h-12 list-none items-center gap-x-2 px-4 focus-visible:outline-offset-[-2px] md:px-5 [&::-webkit-details-marker]:hidden">
          <ChevronRightIcon className="size-4 text-muted transition-transform group-open:rotate-90" />
          <span className="text-[15px] font-semibold">{t("changes.title")}</span>
        </summary>
        <div className="border-t border-line">{isOpen && <Changes {...props} />}</div>
      </details>
    </Card>
  );
}
