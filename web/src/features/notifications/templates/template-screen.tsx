import type { TemplateInput } from "@sonde/proto/http/notifications/templates";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router-dom";
import { useSession } from "../../../app/hooks.ts";
import { ManagedForm } from "../../../entities/managed/managed-form.tsx";
import { paths } from "../../../app/paths.ts";
import { Loaded, Missing } from "../../../app/screen.tsx";
import { PageIcon } from "../../../ui/icons.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { useCreateTemplateMutation, useTemplatesQuery, useUpdateTemplateMutation } from "../api.ts";
import { TemplateForm } from "./template-form.tsx";

const empty: TemplateInput = { name: "", kind: "down", subject: "", content: "" };

export default function TemplateScreen() {
  const { id } = useParams();
  return id === undefined ? <Create /> : <Edit key={id} id={Number(id)} />;
}

function useBack() {
  const navigate = useNavigate();
  return (notice: string) => void navigate(paths.notificationTemplates, { state: { notice }, replace: true });
}

function Create() {
  const { t } = useTranslation();
  const back = useBack();
  const [create] = useCreateTemplateMutation();
  return (
    <>
      <PageHeader title={t("templates.createTitle")} />
      <TemplateForm
        initial={empty}
        labels={{ submit: t("templates.create"), saving: t("templates.creating") }}
        onSave={async (input) => {
          const { message } = await create(input).unwrap();
          return () => back(message ?? t("templates.created"));
        }}
      />
    </>
  );
}

function Edit({ id }: { id: number }) {
  const { t } = useTranslation();
  const { mayChange } = useSession();
  const back = useBack();
  const query = useTemplatesQuery();
  const { data, error, isFetching } = query;
  const [update] = useUpdateTemplateMutation();
  const template = data?.templates.find((each) => each.id === id);
  const isGone = template === undefined && data !== undefined && error === undefined && !isFetching;
  return (
    <>
      <PageHeader
        title={mayChange ? t("templates.editTitle") : t("templates.viewTitle")}
        description={template?.name}
      />
      {isGone ? (
        <Missing
          icon={<PageIcon />}
          title={t("templates.missing")}
          back={t("templates.back")}
          backTo={paths.notificationTemplates}
        />
      ) : (
        <Loaded query={{ ...query, data: template }}>
          {({ name, kind, subject, content, managed }) => (
            <ManagedForm managed={managed} kind="template">
              <TemplateForm
                initial={{ name, kind, subject, content }}
                labels={{ submit: t("common.saveChanges"), saving: t("common.saving") }}
                onSave={async (input) => {
                  const { message } = await update({ id, input }).unwrap();
                  return () => back(message ?? t("templates.saved"));
                }}
              />
            </ManagedForm>
          )}
        </Loaded>
      )}
    </>
  );
}
