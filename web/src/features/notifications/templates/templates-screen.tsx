import type { NotificationTemplate } from "@sonde/proto/http/notifications/templates";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { ManagedBadge, managedText } from "../../../entities/managed/managed-badge.tsx";
import { paths } from "../../../app/paths.ts";
import { Loaded, Notice, useNotice } from "../../../app/screen.tsx";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { RowActions } from "../../../lists/row-actions.tsx";
import { Badge } from "../../../ui/badge.tsx";
import { Card } from "../../../ui/card.tsx";
import { PageIcon } from "../../../ui/icons.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { useDeleteTemplateMutation, useTemplatesQuery } from "../api.ts";

export default function TemplatesScreen() {
  const { t } = useTranslation();
  const [notice, setNotice] = useState(useNotice());
  const query = useTemplatesQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data } = query;
  const add = <AddLink noun="templates" to={paths.templateCreate} />;
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      {data !== undefined && data.templates.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 text-muted">{t("templates.intro")}</p>
          {add}
        </div>
      )}
      <Card flush>
        <Loaded query={query} placeholder={<Skeleton className="h-40 w-full" />} header={null}>
          {({ templates }) =>
            templates.length === 0 ? (
              <EmptyState icon={<PageIcon />} title={t("templates.empty.title")} action={add}>
                {t("templates.empty.text")}
              </EmptyState>
            ) : (
              <TemplateList templates={templates} onDeleted={setNotice} />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

type TemplateListProps = { templates: readonly NotificationTemplate[]; onDeleted: (notice: string) => void };

function TemplateList({ templates, onDeleted }: TemplateListProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const [remove] = useDeleteTemplateMutation();
  const [toDelete, setToDelete] = useState<NotificationTemplate | null>(null);
  return (
    <>
      <ul className="divide-y divide-line">
        {templates.map((template) => {
          const { id, name, kind, subject, updatedAt, managed } = template;
          return (
            <li key={id} data-row className="flex items-center gap-3 px-4 py-2.5 md:px-5">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <Link
                    to={paths.templateEdit(id)}
                    className="inline-flex min-h-6 items-center font-medium hover:underline"
                  >
                    {name}
                  </Link>
                  <Badge>{t(`notifications.kinds.${kind}`)}</Badge>
                  <ManagedBadge managed={managed} />
                </p>
                <p className="truncate font-mono text-[13px] text-muted">{subject}</p>
                <p className="text-[13px] text-faint">
                  {t("templates.updated")} <Time at={updatedAt} relative />
                </p>
              </div>
              {mayChange && (
                <RowActions
                  name={name}
                  editAt={paths.templateEdit(id)}
                  onDelete={() => setToDelete(template)}
                  deleteRefusal={managedText(managed, t)}
                />
              )}
            </li>
          );
        })}
      </ul>
      <DeleteDialog
        target={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={onDeleted}
        noun="templates"
        fallback="deleteTemplate"
        remove={remove}
      />
    </>
  );
}
