import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { errorText } from "../../../app/errors.ts";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { PageIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../../ui/states.tsx";
import { useTemplatesQuery, useUpdateTemplateMutation } from "../api.ts";
import { toValues } from "./form-values.ts";
import { TemplateForm } from "./template-form.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const id = Number(useParams()["id"]);
  const { data, error, isFetching, refetch } = useTemplatesQuery();
  const [update] = useUpdateTemplateMutation();
  const template = data?.templates.find((each) => each.id === id);
  return (
    <>
      <PageHeader
        title={mayChange ? t("templates.editTitle") : t("templates.viewTitle")}
        description={template?.name}
      />
      {template !== undefined ? (
        <TemplateForm
          key={id}
          initial={toValues(template)}
          labels={{ submit: t("templates.save"), saving: t("templates.saving") }}
          onSave={async (input) => {
            const { message } = await update({ id, input }).unwrap();
            const notice = message ?? t("templates.saved");
            return () => void navigate(paths.notificationTemplates, { state: { notice }, replace: true });
          }}
          onCancel={() => void navigate(paths.notificationTemplates)}
        />
      ) : error !== undefined ? (
        <Card>
          <ErrorState message={errorText(error, "fetchData")} onRetry={() => void refetch()} retrying={isFetching} />
        </Card>
      ) : data === undefined || isFetching ? (
        <Skeleton className="h-96 w-full" />
      ) : (
        <Card>
          <EmptyState
            icon={<PageIcon />}
            title={<span role="alert">{t("templates.missing")}</span>}
            action={<ButtonLink to={paths.notificationTemplates}>{t("templates.back")}</ButtonLink>}
          />
        </Card>
      )}
    </>
  );
}
