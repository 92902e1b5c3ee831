import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { useSession } from "../../../app/hooks.ts";
import { paths } from "../../../app/paths.ts";
import { Loaded, Missing } from "../../../app/screen.tsx";
import { PageIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { useTemplatesQuery, useUpdateTemplateMutation } from "../api.ts";
import { toValues } from "./form-values.ts";
import { TemplateForm } from "./template-form.tsx";

export default function EditScreen() {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const id = Number(useParams()["id"]);
  const query = useTemplatesQuery();
  const { data, error, isFetching } = query;
  const [update] = useUpdateTemplateMutation();
  const template = data?.templates.find((each) => each.id === id);
  const isGone = template === undefined && data !== undefined && error === undefined && !isFetching;
  const back = { back: t("templates.back"), backTo: paths.notificationTemplates };
  return (
    <>
      <PageHeader
        title={mayChange ? t("templates.editTitle") : t("templates.viewTitle")}
        description={template?.name}
      />
      {isGone ? (
        <Missing icon={<PageIcon />} title={t("templates.missing")} {...back} />
      ) : (
        <Loaded
          query={{ ...query, data: template }}
          fallback="fetchData"
          placeholder={<Skeleton className="h-96 w-full" />}
        >
          {(shown) => (
            <TemplateForm
              key={id}
              initial={toValues(shown)}
              labels={{ submit: t("templates.save"), saving: t("templates.saving") }}
              onSave={async (input) => {
                const { message } = await update({ id, input }).unwrap();
                const notice = message ?? t("templates.saved");
                return () => void navigate(paths.notificationTemplates, { state: { notice }, replace: true });
              }}
              onCancel={() => void navigate(paths.notificationTemplates)}
            />
          )}
        </Loaded>
      )}
    </>
  );
}
