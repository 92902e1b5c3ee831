import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Alert } from "../../ui/alert.tsx";

/** Two machines report as one agent: what that means, and what ends it. */
export function DuplicateKeyAlert({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  return (
    <Alert kind="error">
      {t("agent.duplicateKey")}{" "}
      {mayChange && (
        <Link to={paths.agentEdit(id)} className="font-medium whitespace-nowrap underline">
          {t("agent.duplicateKeyLink")}
        </Link>
      )}
    </Alert>
  );
}
