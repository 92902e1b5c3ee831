import type { EscalationPolicy } from "@sonde/proto/http/on-call/policies";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { BackLink, Loaded, Notice, useNotice } from "../../../app/screen.tsx";
import { ManagedBadge, managedText } from "../../../entities/managed/managed-badge.tsx";
import { useDeletePolicyMutation, usePoliciesQuery } from "../../../entities/on-call/api.ts";
import { AddLink } from "../../../lists/add-link.tsx";
import { DeleteDialog } from "../../../lists/delete-dialog.tsx";
import { RowActions } from "../../../lists/row-actions.tsx";
import { Card } from "../../../ui/card.tsx";
import { BellIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { EmptyState, Skeleton } from "../../../ui/states.tsx";
import { nameOf, useRecipientNames } from "./recipients.tsx";

export default function PoliciesScreen() {
  const { t } = useTranslation();
  return (
    <>
      <BackLink to={paths.onCall} label={t("nav.onCall")} />
      <PageHeader title={t("policies.title")} />
      <PoliciesSection arrived={useNotice()} />
    </>
  );
}

/** @param arrived the message to begin with, after a policy was saved */
export function PoliciesSection({ arrived }: { arrived?: string | undefined }) {
  const { t } = useTranslation();
  const [notice, setNotice] = useState(arrived);
  const query = usePoliciesQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data } = query;
  const add = <AddLink noun="policies" to={paths.policyCreate} />;
  return (
    <div className="flex flex-col gap-4">
      <Notice text={notice} />
      {data !== undefined && data.policies.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 text-muted">{t("policies.intro")}</p>
          {add}
        </div>
      )}
      <Card flush>
        <Loaded query={query} placeholder={<Skeleton className="h-40 w-full" />} header={null}>
          {({ policies }) =>
            policies.length === 0 ? (
              <EmptyState icon={<BellIcon />} title={t("policies.empty.title")} action={add}>
                {t("policies.empty.text")}
              </EmptyState>
            ) : (
              <PolicyList policies={policies} onDeleted={setNotice} />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

type PolicyListProps = { policies: readonly EscalationPolicy[]; onDeleted: (notice: string) => void };

function PolicyList({ policies, onDeleted }: PolicyListProps) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const names = useRecipientNames();
  const [remove] = useDeletePolicyMutation();
  const [toDelete, setToDelete] = useState<EscalationPolicy | null>(null);
  return (
    <>
      <ul className="divide-y divide-line">
        {policies.map((policy) => {
          const { id, name, steps, repeat, managed } = policy;
          const [first] = steps;
          return (
            <li key={id} data-row className="flex items-center gap-3 px-4 py-2.5 md:px-5">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <Link
                    to={paths.policyEdit(id)}
                    className="inline-flex min-h-6 items-center font-medium hover:underline"
                  >
                    {name}
                  </Link>
                  <ManagedBadge managed={managed} />
                </p>
                <p className="text-[13px] text-muted">
                  {t("policies.steps", { count: steps.length })}
                  {repeat > 0 && ` · ${t("policies.repeats", { count: repeat })}`}
                </p>
                <p className="truncate text-[13px] text-faint">
                  {first?.notify.map((recipient) => nameOf(recipient, names, t)).join(", ")}
                </p>
              </div>
              {mayChange && (
                <RowActions
                  name={name}
                  editAt={paths.policyEdit(id)}
                  onDelete={() => setToDelete(policy)}
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
        noun="policies"
        fallback="deletePolicy"
        remove={remove}
      />
    </>
  );
}
