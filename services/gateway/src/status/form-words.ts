import type { PageLanguage } from "@sonde/proto/http/status/languages";

type Notice = { title: string; text: string };

type FormWords = {
  asked: Notice;
  confirmed: Notice;
  ended: Notice;
  failed: { title: string; away: string };
  /** While no document of the page is available. */
  locked: Notice;
  preparing: Notice;
};

export const formWords: Record<PageLanguage, FormWords> = {
  "en-US": {
    asked: {
      title: "Check your inbox",
      text: "If this address can receive emails, a confirmation link is on its way. Open it to confirm your subscription.",
    },
    confirmed: {
      title: "You are subscribed",
      text: "We will email you about updates. Every email contains a link to unsubscribe.",
    },
    ended: { title: "You have unsubscribed", text: "You will no longer receive emails from this page." },
    failed: {
      title: "Something went wrong",
      away: "This is currently unavailable. Nothing was changed; please try again in a few minutes.",
    },
    locked: { title: "Not found", text: "This page is private, or does not exist." },
    preparing: {
      title: "This page is being prepared",
      text: "It appears here in a moment. You do not need to reload.",
    },
  },
  "zh-CN": {
    asked: {
      title: "请查收邮件",
      text: "如果该邮箱可以接收邮件，您将收到一封带有链接的邮件。打开链接并确认后即完成订阅。",
    },
    confirmed: { title: "订阅成功", text: "有新动态时我们会给您发送邮件。每封邮件中都有退订链接。" },
    ended: { title: "您已退订", text: "您将不再收到此页面的邮件。" },
    failed: { title: "操作未成功", away: "该功能暂时不可用，未做任何更改，请几分钟后再试。" },
    locked: { title: "未找到", text: "此页面未公开，或不存在。" },
    preparing: { title: "页面正在准备", text: "页面稍后会自动显示，无需手动刷新。" },
  },
  "zh-TW": {
    asked: {
      title: "請查收郵件",
      text: "如果該信箱可以接收郵件，您將收到一封帶有連結的郵件。開啟連結並確認後即完成訂閱。",
    },
    confirmed: { title: "訂閱成功", text: "有新動態時我們會寄信給您。每封郵件中都有取消訂閱的連結。" },
    ended: { title: "您已取消訂閱", text: "您將不再收到此頁面的郵件。" },
    failed: { title: "操作未成功", away: "此功能暫時無法使用，未做任何變更，請幾分鐘後再試。" },
    locked: { title: "找不到", text: "此頁面未公開，或不存在。" },
    preparing: { title: "頁面正在準備", text: "頁面稍後會自動顯示，無需手動重新整理。" },
  },
  de: {
    asked: {
      title: "Sehen Sie in Ihrem Postfach nach",
      text: "Wenn diese Adresse E-Mails empfangen kann, ist ein Link zur Bestätigung unterwegs. Öffnen Sie ihn, um das Abonnement zu bestätigen.",
    },
    confirmed: {
      title: "Sie haben die Meldungen abonniert",
      text: "Wir informieren Sie per E-Mail. Jede E-Mail enthält einen Link zum Abbestellen.",
    },
    ended: { title: "Sie haben die Meldungen abbestellt", text: "Sie erhalten keine E-Mails dieser Seite mehr." },
    failed: {
      title: "Etwas ist schiefgegangen",
      away: "Das ist zurzeit nicht möglich. Es wurde nichts geändert; bitte versuchen Sie es in einigen Minuten erneut.",
    },
    locked: { title: "Nicht gefunden", text: "Diese Seite ist nicht öffentlich oder existiert nicht." },
    preparing: {
      title: "Diese Seite wird vorbereitet",
      text: "Sie erscheint gleich hier, ohne dass Sie neu laden müssen.",
    },
  },
  fr: {
    asked: {
      title: "Consultez votre messagerie",
      text: "Si cette adresse peut recevoir des e-mails, un lien de confirmation est en route. Ouvrez-le pour confirmer votre abonnement.",
    },
    confirmed: {
      title: "Vous êtes abonné",
      text: "Nous vous enverrons les nouvelles par e-mail. Chaque e-mail contient un lien de désabonnement.",
    },
    ended: { title: "Vous êtes désabonné", text: "Vous ne recevrez plus d’e-mails de cette page." },
    failed: {
      title: "Une erreur est survenue",
      away: "Ce service est momentanément indisponible. Rien n’a été modifié ; réessayez dans quelques minutes.",
    },
    locked: { title: "Introuvable", text: "Cette page est privée ou n’existe pas." },
    preparing: {
      title: "Cette page est en préparation",
      text: "Elle s’affichera ici dans un instant, sans recharger.",
    },
  },
  es: {
    asked: {
      title: "Revise su correo",
      text: "Si esta dirección puede recibir correos, un enlace de confirmación está en camino. Ábralo para confirmar su suscripción.",
    },
    confirmed: {
      title: "Se ha suscrito",
      text: "Le enviaremos las novedades por correo. Todos los correos tienen un enlace para darse de baja.",
    },
    ended: { title: "Se ha dado de baja", text: "No recibirá más correos de esta página." },
    failed: {
      title: "Algo ha fallado",
      away: "Ahora mismo no está disponible. No se ha cambiado nada; inténtelo de nuevo en unos minutos.",
    },
    locked: { title: "No encontrado", text: "Esta página es privada o no existe." },
    preparing: { title: "Esta página se está preparando", text: "Aparecerá aquí en un momento, sin recargar." },
  },
  "pt-BR": {
    asked: {
      title: "Verifique seu e-mail",
      text: "Se este endereço puder receber e-mails, um link de confirmação está a caminho. Abra-o para confirmar a inscrição.",
    },
    confirmed: {
      title: "Inscrição concluída",
      text: "Enviaremos as novidades por e-mail. Todo e-mail tem um link para cancelar a inscrição.",
    },
    ended: { title: "Inscrição cancelada", text: "Você não receberá mais e-mails desta página." },
    failed: {
      title: "Algo deu errado",
      away: "Isto está indisponível no momento. Nada foi alterado; tente novamente em alguns minutos.",
    },
    locked: { title: "Não encontrado", text: "Esta página é privada ou não existe." },
    preparing: { title: "Esta página está sendo preparada", text: "Ela aparecerá aqui em instantes, sem recarregar." },
  },
  ja: {
    asked: {
      title: "メールをご確認ください",
      text: "このアドレスでメールを受信できる場合は、確認用のリンクをお送りします。リンクを開いて購読を確認してください。",
    },
    confirmed: {
      title: "購読を開始しました",
      text: "更新があればメールでお知らせします。どのメールにも購読解除のリンクがあります。",
    },
    ended: { title: "購読を解除しました", text: "このページからのメールは届かなくなります。" },
    failed: {
      title: "エラーが発生しました",
      away: "現在ご利用いただけません。何も変更されていません。数分後にもう一度お試しください。",
    },
    locked: { title: "見つかりません", text: "このページは非公開か、存在しません。" },
    preparing: { title: "ページを準備しています", text: "まもなくここに表示されます。再読み込みは不要です。" },
  },
  ko: {
    asked: {
      title: "메일함을 확인하세요",
      text: "이 주소로 메일을 받을 수 있다면 확인 링크를 보내 드립니다. 링크를 열어 구독을 확인하세요.",
    },
    confirmed: {
      title: "구독되었습니다",
      text: "새 소식을 메일로 보내 드립니다. 모든 메일에 구독 취소 링크가 있습니다.",
    },
    ended: { title: "구독이 취소되었습니다", text: "이 페이지의 메일을 더 이상 받지 않습니다." },
    failed: {
      title: "문제가 발생했습니다",
      away: "지금은 이용할 수 없습니다. 아무것도 변경되지 않았습니다. 몇 분 후에 다시 시도해 주세요.",
    },
    locked: { title: "찾을 수 없음", text: "비공개이거나 존재하지 않는 페이지입니다." },
    preparing: { title: "페이지를 준비하고 있습니다", text: "잠시 후 여기에 표시됩니다. 새로 고칠 필요가 없습니다." },
  },
};
