import { useTranslation } from "react-i18next";
import { CrossIcon } from "../../../ui/icons.tsx";
import { Time } from "../../../ui/time.tsx";

type ProofProps = { lastProvenAt?: string | undefined; problem?: string | undefined };

/** Whether something arrived there, and if not, why. */
export function Proof({ lastProvenAt, problem }: ProofProps) {
  const { t } = useTranslation();
  if (problem !== undefined)
    return (
      <p className="text-[13px] break-words text-down-ink">
        <CrossIcon className="mr-1 inline size-3.5" />
        {t("contacts.problem", { problem })}
      </p>
    );
  return (
    <p className="text-[13px] text-muted">
      {lastProvenAt === undefined ? (
        t("contacts.unproven")
      ) : (
        <>
          {t("contacts.proven")} <Time at={lastProvenAt} relative />
        </>
      )}
    </p>
  );
}
