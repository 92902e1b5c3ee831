import type { Agent } from "@sonde/proto/http/agents";
import { useTranslation } from "react-i18next";
import { useSession } from "../../app/hooks.ts";
import { paths } from "../../app/paths.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { EditIcon, EyeIcon, TrashIcon } from "../../ui/icons.tsx";

/** View, edit and delete, each named after its agent. */
export function RowActions({ agent: { id, name }, onDelete }: { agent: Agent; onDelete: () => void }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const named = (what: string) => ({ title: what, "aria-label": `${what}: ${name}` });
  return (
    <span className="inline-flex items-center">
      <ButtonLink
        {...named(t("common.view"))}
        to={paths.agent(id)}
        variant="ghost"
        size="icon"
        className="max-sm:hidden"
      >
        <EyeIcon />
      </ButtonLink>
      {mayChange && (
        <>
          <ButtonLink {...named(t("common.edit"))} to={paths.agentEdit(id)} variant="ghost" size="icon">
            <EditIcon />
          </ButtonLink>
          <Button {...named(t("common.delete"))} variant="ghost" size="icon" onClick={onDelete}>
            <TrashIcon />
          </Button>
        </>
      )}
    </span>
  );
}
