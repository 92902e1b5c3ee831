import type { ListedPage } from "@sonde/proto/http/status/pages";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { Button } from "../../../ui/button.tsx";
import { cx } from "../../../ui/cx.ts";
import { GlobeIcon, LockIcon, PlusIcon } from "../../../ui/icons.tsx";
import { useStatusPagesQuery } from "../../../entities/pages/api.ts";
import { settingsPath } from "./api.ts";
import { NewPage } from "./new-page.tsx";

export function PageList({ chosen, tab }: { chosen: string; tab: string | undefined }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const { data: pages = [] } = useStatusPagesQuery();
  const [isAdding, setIsAdding] = useState(false);
  if (pages.length < 2 && !mayChange) return null;
  return (
    <nav aria-label={t("statusPage.pages.title")} className="mb-4 flex flex-wrap items-start gap-2">
      <ul className="-m-0.5 flex min-h-10 min-w-0 gap-2 overflow-auto p-0.5 max-sm:w-full sm:max-h-40 sm:flex-1 sm:flex-wrap">
        {pages.map((page) => (
          <li key={page.slug} className="max-w-full max-sm:shrink-0">
            <PageLink page={page} isChosen={page.slug === chosen} tab={tab} />
          </li>
        ))}
      </ul>
      {mayChange && (
        <Button onClick={() => setIsAdding(true)}>
          <PlusIcon />
          {t("statusPage.pages.add")}
        </Button>
      )}
      {isAdding && <NewPage onClose={() => setIsAdding(false)} />}
    </nav>
  );
}

type PageLinkProps = { page: ListedPage; isChosen: boolean; tab: string | undefined };

function PageLink({ page: { slug, title, mode, hosts }, isChosen, tab }: PageLinkProps) {
  const { t } = useTranslation();
  const Icon = mode === "public" ? GlobeIcon : LockIcon;
  const way = t(`statusPage.access.modes.${mode}.name`);
  return (
    <Link
      to={settingsPath(slug, tab)}
      aria-current={isChosen ? "page" : undefined}
      title={[hosts[0] ?? `/${slug}`, way].join(" · ")}
      className={cx(
        "relative flex h-9 max-w-full items-center max-sm:max-w-60 gap-2 rounded-md border px-3 text-[13px] transition-colors",
        isChosen
          ? "border-accent bg-accent-soft font-medium text-ink"
          : "border-line-strong bg-surface text-muted hover:text-ink",
      )}
    >
      <Icon className="size-3.5 shrink-0" />
      <span className="truncate">{title}</span>
      <span className="sr-only">{way}</span>
    </Link>
  );
}
