/**
 * Every sentence that the server, or a schema that validates input, may show to a person. The English text is the key;
 * the value is the same sentence in zh-CN. `{name}` is replaced from params.
 */
export const messages = {
  // envelope, generic
  "Something went wrong. Quote request {requestId} when you report it.":
    "服务出现异常，反馈时请提供请求编号 {requestId}。",
  "The request is not valid": "请求内容有误",
  "The body is not valid JSON": "请求体不是有效的 JSON",
  "The body must be a JSON object": "请求体必须是 JSON 对象",
  "The content type must be application/json": "内容类型必须是 application/json",
  "The body is too large (at most {limit})": "请求体过大（上限为 {limit}）",
  "Compressed bodies are not accepted": "不接受压缩的请求体",
  "The body did not arrive in time": "请求体未能及时到达",
  "The request could not be understood": "无法理解该请求",
  "The request did not arrive in time": "请求未能及时到达",
  "There is nothing at this address": "该地址不存在",
  "Sonde does not answer to the name {host} here. Open it as localhost or by its IP address, or set PUBLIC_URL to the address that people use.":
    "Sonde 在此处不接受主机名 {host}。请通过 localhost 或 IP 地址访问，或将 PUBLIC_URL 设置为用户使用的地址。",
  "This method is not allowed here": "该地址不支持此请求方法",
  "Forms of other sites are not accepted here": "此处不接受来自其他网站的表单",
  "Please log in": "请先登录",
  "You are not allowed to do this": "您没有执行此操作的权限",
  "Too many requests, please try again later": "请求过于频繁，请稍后再试",
  "The connection was closed before the answer": "连接在应答之前已关闭",
  "At most {max} event streams at once": "最多同时打开 {max} 个事件流",
  "The {service} service is not available at the moment": "{service} 服务暂时不可用",
  "The answer took too long, please try again later": "响应超时，请稍后重试",
  "Unknown field": "未知字段",
  "This must be 1 to {max} visible characters": "必须为 1 到 {max} 个可见字符",
  "This Idempotency-Key was used for another request": "此 Idempotency-Key 已用于另一个请求",
  "This request was carried out before an upgrade, and its answer cannot be repeated":
    "此请求在升级之前已执行，无法再次返回其结果",
  "Too many requests with an Idempotency-Key within a day: leave it out":
    "一天内带有 Idempotency-Key 的请求过多：请不要再带此请求头",
  "This field is required": "此项为必填项",

  // auth and users
  "Incorrect username or password": "用户名或密码错误",
  "Login successful": "登录成功",
  "Logout successful": "已退出登录",
  "Too many failed logins, please try again later": "登录失败次数过多，请稍后再试",
  "Registration successful, please login": "注册成功，请登录",
  "Registration successful, an administrator must approve the account": "注册成功，请等待管理员审核",
  "Registration is closed": "注册已关闭",
  "The username may not mix alphabets within a word": "用户名的同一个词中不能混用不同的文字",
  "Username already exists": "用户名已存在",
  "Email already exists": "邮箱已存在",
  "The setup code is not correct": "安装码不正确",
  "The account is waiting for approval": "账号正在等待审核",
  "The account is disabled": "账号已被停用",
  "User does not exist": "用户不存在",
  "User created": "用户已创建",
  "User updated": "用户已更新",
  "Profile updated": "个人资料已更新",
  "User deleted": "用户已删除",
  "Password changed": "密码已修改",
  "The current password is not correct": "当前密码不正确",
  "Current password is required": "请输入当前密码",
  "The last active administrator must remain": "必须保留至少一名有效的管理员",
  "Only an administrator may change this": "只有管理员可以修改此项",
  "Username is required": "请输入用户名",
  "The username has at most {max} characters": "用户名最多 {max} 个字符",
  "The username may not begin or end with a space": "用户名首尾不能有空格",
  "The username may not hold control or invisible characters": "用户名不能包含控制字符或不可见字符",
  "Please enter a valid email address": "请输入有效的邮箱地址",
  "The password needs at least {min} characters": "密码至少需要 {min} 个字符",
  "The password has at most {max} characters": "密码最多 {max} 个字符",
  "Password is required": "请输入密码",

  // monitors
  "Monitor does not exist": "监控不存在",
  "Monitor created": "监控已创建",
  "Monitor updated": "监控已更新",
  "Monitor successfully deleted": "监控已成功删除",
  "Monitor paused": "监控已暂停",
  "Monitor resumed": "监控已恢复",
  "Monitor check completed": "监控检查已完成",
  "Check failed": "检查失败",
  "Too many checks by hand are running, please try again in a few seconds": "手动检查过多，请几秒后重试",
  "At most {max} checks at once, please wait for the others to end": "最多同时进行 {max} 个检查，请等待其他检查结束",
  "The probe runner itself is in trouble, so this says nothing about the target":
    "探测节点自身出现故障，无法判断目标的状态",
  "No probe runner is available at location {location}": "位置 {location} 没有可用的探测节点",
  "Name is required": "请输入名称",
  "The name has at most {max} characters": "名称最多 {max} 个字符",
  "URL is required": "请输入 URL",
  "Please enter a full http or https address": "请输入完整的 http 或 https 地址",
  "The address may not hold a user name or password": "地址中不能包含用户名或密码",
  "The address is too long (at most {max} characters)": "地址过长（最多 {max} 个字符）",
  "This address may not be monitored": "该地址不允许被监控",
  "Host is required": "请输入主机",
  "Please enter a host name or an IP address": "请输入主机名或 IP 地址",
  "The port is a whole number from 1 to 65535": "端口为 1 到 65535 的整数",
  "The resolver is an IP address; a port may follow, such as 1.1.1.1:53 or [2606:4700::1111]:53":
    "解析服务器须为 IP 地址，可附端口，例如 1.1.1.1:53 或 [2606:4700::1111]:53",
  "The number of days is a whole number from 0 to {max}": "天数为 0 到 {max} 的整数",
  "The kind of a monitor cannot be changed": "监控类型创建后不可更改",
  "The interval is at least {min} min": "检查间隔至少为 {min} 分钟",
  "The interval is at most {max} min": "检查间隔最多为 {max} 分钟",
  "The timeout must be shorter than the interval": "超时时间必须小于检查间隔",
  "The timeout is at least {min} seconds": "超时时间至少为 {min} 秒",
  "The timeout is at most {max} seconds": "超时时间最多为 {max} 秒",
  "Give a status code, a class or a range, such as 200, 2xx or 200-204,301":
    "请填写状态码、类别或范围，例如 200、2xx 或 200-204,301",
  "This is not a valid header name": "请求头名称无效",
  "This is not a valid header value": "请求头的值无效",
  "This header is set by the probe itself": "该请求头由探测节点自动设置",
  "At most {max} headers": "最多 {max} 个请求头",
  "The body is not sent with {method}": "{method} 请求不会发送请求体",
  "The address changed: enter this secret value anew": "地址已变更，请重新输入此机密值",
  "This secret value is not stored yet: enter it": "该机密值尚未保存，请输入",
  "Retries are a whole number from 0 to {max}": "重试次数为 0 到 {max} 的整数",
  "At most {max} assertions": "最多 {max} 条断言",
  "A header assertion needs the name of the header": "响应头断言需要填写名称",
  "A JSON assertion needs a path such as $.data.ok": "JSON 断言需要填写路径，例如 $.data.ok",
  "This is not a valid name of a response header": "响应头名称无效",
  "The path names one value, such as $.data.items[0]; this part cannot be read: {part}":
    "路径须指向单个值，例如 $.data.items[0]；无法识别此部分：{part}",
  "This comparison needs a value": "该比较需要填写值",
  "This comparison needs a number": "该比较需要填写数字",
  "Latency can only be compared as a number": "响应时间只能按数字比较",
  "This is not a valid regular expression": "正则表达式无效",
  "The regular expression is too large": "正则表达式过大",
  "A closing ) is missing: {part}": "正则表达式缺少右括号 )：{part}",
  "A closing ] is missing: {part}": "正则表达式缺少右方括号 ]：{part}",
  "There is a ) without its (": "正则表达式中的 ) 没有对应的 (",
  "There is nothing to repeat before {part}": "正则表达式中 {part} 之前没有可重复的内容",
  "A repetition is repeated: {part}": "正则表达式中不能重复量词：{part}",
  "This repeats too often (at most 1000 times): {part}": "正则表达式中重复次数过多（最多 1000 次）：{part}",
  "Lookahead, lookbehind and backreferences are not supported: {part}": "正则表达式不支持环视和反向引用：{part}",
  "This escape is not known: {part}": "正则表达式中的转义无法识别：{part}",
  "This is not a valid set of characters: {part}": "正则表达式中的字符集无效：{part}",
  "This is not a valid group name: {part}": "正则表达式中的分组名称无效：{part}",
  "Two groups have the same name: {part}": "正则表达式中有重名的分组：{part}",
  "There is nothing after the last backslash": "正则表达式不能以反斜杠结尾",
  "At most {max} tags": "最多 {max} 个标签",
  "A tag has 1 to {max} characters": "标签长度为 1 到 {max} 个字符",
  "There is no location named {location}": "不存在名为 {location} 的位置",
  "Choose a location: probe runners are at {locations}": "请选择位置：可用的探测位置有 {locations}",
  "No probe runner is running, so nothing would check this monitor": "没有正在运行的探测节点，无法检查此监控",
  "At least one location": "至少选择一个位置",
  "At most {max} monitors at once": "一次最多处理 {max} 个监控",
  "At most {max} monitors can be sorted by this: search or filter first":
    "最多可按此项对 {max} 个监控排序，请先搜索或筛选",
  "{count} monitors match, and at most {max} can be changed at once": "有 {count} 个监控匹配，一次最多更改 {max} 个",
  "{count} monitors match by now: look at the list again": "现有 {count} 个监控匹配，请重新查看列表",
  "Give either ids or a filter": "请提供 ids 或 filter，二者选一",
  "Another change of many monitors is running, please wait for it to end": "另一项批量更改正在进行，请等待其完成",
  "At most {max} imports at once, please wait for the others to end": "最多同时进行 {max} 个导入，请等待其他导入结束",
  "The import was made already": "此导入已经完成",
  Imported: "导入完成",
  "The file is too large to be imported at once (at most {limit})": "文件过大，无法一次导入（上限为 {limit}）",
  "This export was made by a newer version of Sonde": "此导出文件来自更新版本的 Sonde",

  // agents
  "Agent with ID {id} not found": "未找到 ID 为 {id} 的客户端",
  "Agent successfully deleted": "客户端已成功删除",
  "Agent updated successfully": "客户端更新成功",
  "This server builds no agents; put their archives into the folder that AGENT_DOWNLOAD_DIR names":
    "此服务器不构建客户端，请将其安装包放入 AGENT_DOWNLOAD_DIR 所指的目录",
  "The registration token is not valid": "注册令牌无效",
  "The registration token has expired": "注册令牌已过期",
  "The registration token was used already": "注册令牌已被使用",
  "The agent key is not valid or was revoked": "客户端密钥无效或已被吊销",
  "The body is not a valid report": "请求体不是有效的上报数据",
  "The content type must be application/json or application/x-protobuf":
    "内容类型必须是 application/json 或 application/x-protobuf",
  "The body is not valid gzip": "请求体不是有效的 gzip 数据",
  "Only gzip is accepted as content encoding": "内容编码仅支持 gzip",
  "A report has at most {max} samples": "一次上报最多包含 {max} 个样本",
  "No sample of the report is valid": "上报中没有有效的样本",
  "The registration token does not exist, was used or has expired": "注册令牌不存在、已使用或已过期",
  "Token revoked": "令牌已撤销",
  "The sample is from the future": "样本时间晚于当前时间",
  "The sample is too old to be kept": "样本过旧，无法保存",
  "The sample is too large": "样本过大",
  "At most {max} reports a minute": "每分钟最多上报 {max} 次",

  // validation in general
  "Control and invisible characters are not allowed here": "此处不能包含控制字符或不可见字符",
  "Please enter text": "请输入文本",
  "Please enter a number": "请输入数字",
  "Please enter a whole number": "请输入整数",
  "Please choose one of: {options}": "请从以下选项中选择：{options}",
  "Please enter true or false": "请输入 true 或 false",
  "Please enter a list": "请输入列表",
  "The text is too long (at most {max} characters)": "文本过长（最多 {max} 个字符）",
  "The text is too long (at most {max} bytes)": "文本过长（最多 {max} 字节）",
  "The text is too short (at least {min} characters)": "文本过短（至少 {min} 个字符）",
  "The number is too small (at least {min})": "数值过小（至少为 {min}）",
  "The number is too large (at most {max})": "数值过大（最多为 {max}）",
  "Too many entries (at most {max})": "条目过多（最多 {max} 条）",
  "Too few entries (at least {min})": "条目过少（至少 {min} 条）",
  "This value is not valid": "该值无效",
  "Incident does not exist": "事件不存在",
  "It cannot depend on itself": "不能依赖自身",
  // notifications
  "The sender is required": "请输入发件人",
  "The recipient is required": "请输入收件人",
  "Give the sender as an address, or as Name <address>": "发件人应为邮箱地址，或“名称 <邮箱地址>”",
  "This is not a valid bot token": "Bot token 格式不正确",
  "This is not a valid chat id": "Chat ID 格式不正确",
  "This is not a valid id": "ID 格式不正确",
  "This is not a valid topic": "主题格式不正确",
  "This is not a valid room id": "房间 ID 格式不正确",
  "Office connectors are retired: use the address of a workflow": "Office 连接器已停用，请使用工作流的地址",
  "Give a time of day such as 22:30": "请输入时间，例如 22:30",
  "This is not a known time zone": "未知的时区",
  "This step gives more than 1000 buckets": "该步长会产生超过 1000 个数据点",
  "Messages may not be sent to this address": "不允许向该地址发送消息",
  "The type of a channel cannot be changed": "通知渠道创建后不能更改类型",
  "The channels' settings are too large together (at most {limit})": "所有渠道的配置总量过大（上限为 {limit}）",
  "There are {max} channels already, delete one first": "通知渠道已达上限（{max} 个），请先删除一个",
  "The quiet hours begin and end at the same time": "免打扰的开始和结束时间不能相同",
  "There are {max} templates already, delete one first": "模板已达 {max} 个上限，请先删除一个",
  "This link is not valid, or too old": "链接无效或已过期",
  "At most {max} recipients": "收件人最多 {max} 个",
  "… and {count} more": "……另有 {count} 条",
  "There is no variable named {name}": "没有名为 {name} 的变量",
  "Incident acknowledged": "事件已确认",
  "Notification channel does not exist": "通知渠道不存在",
  "Notification channel created": "通知渠道已创建",
  "Notification channel updated": "通知渠道已更新",
  "Notification channel successfully deleted": "通知渠道已成功删除",
  "Test notification delivered": "测试通知已送达",
  "Test notification was not delivered": "测试通知未送达",
  "At most {max} tests at once, please wait for the others to end": "最多同时进行 {max} 个测试，请等待其他测试结束",
  "Notification settings saved": "通知设置已保存",
  "The global settings apply again": "已恢复使用全局设置",
  "There are {max} settings of single targets already, delete one first": "单独设置已达 {max} 个上限，请先删除一个",
  "Notification template does not exist": "通知模板不存在",
  "Notification template created": "通知模板已创建",
  "Notification template updated": "通知模板已更新",
  "Notification template successfully deleted": "通知模板已成功删除",
  "There is no monitor with ID {id}": "不存在 ID 为 {id} 的监控",
  "There is no agent with ID {id}": "不存在 ID 为 {id} 的客户端",
  "These would depend on each other in a circle: {circle}": "依赖关系形成循环：{circle}",
  "Please enter a time such as 2026-01-31T12:00:00Z": "请输入时间，例如 2026-01-31T12:00:00Z",
  "This notification channel sends no mail": "该通知渠道不能发送邮件",
  "The notification channel is switched off": "该通知渠道已停用",

  // the public page, maintenance, announcements, subscribers
  "Maintenance does not exist": "维护计划不存在",
  "Maintenance planned": "维护计划已创建",
  "Maintenance updated": "维护计划已更新",
  "Maintenance ended": "维护已结束",
  "Maintenance successfully deleted": "维护计划已成功删除",
  "This maintenance does not run now": "该维护当前未在进行",
  "There are {max} planned maintenances already, delete one first": "维护计划已达 {max} 个上限，请先删除一个",
  "Choose at least one monitor or agent": "请至少选择一个监控或客户端",
  "The end must be after the start": "结束时间必须晚于开始时间",
  "It may last {days} days at most": "最长 {days} 天",
  "It may start {days} days from now at most": "开始时间最多在 {days} 天之后",
  "It may have started {days} days ago at most": "开始时间最多在 {days} 天之前",
  "It lies in the past": "该时间段已经过去",
  "It would begin again before it ended": "下一次会在本次结束之前开始",
  "The recurrence ends before the start": "重复规则在开始时间之前就已结束",
  "It may recur once a day at most": "每天最多重复一次",
  "Give a recurrence such as FREQ=WEEKLY;BYDAY=SU, without dates":
    "请输入重复规则，例如 FREQ=WEEKLY;BYDAY=SU，不含日期",
  "A recurrence may consist of {parts} only": "重复规则只能包含 {parts}",
  "{part} of the recurrence is not valid": "重复规则中的 {part} 无效",
  "{part} is {max} at most": "{part} 最大为 {max}",
  "Give COUNT or UNTIL, not both": "COUNT 与 UNTIL 只能填写一个",
  "Announcement does not exist": "公告不存在",
  "Announcement created": "公告已发布",
  "Announcement updated": "公告已更新",
  "Announcement successfully deleted": "公告已成功删除",
  "Update posted": "进展已发布",
  "At most {max} announcements a day": "每天最多 {max} 个公告",
  "There are {max} open announcements already, resolve one first": "未结束的公告已达 {max} 个上限，请先结束一个",
  "There are {max} announcements already, delete one first": "公告已达 {max} 个上限，请先删除一个",
  "An announcement has at most {max} updates": "一则公告最多 {max} 条进展",
  "The updates of an announcement are too long together (at most {max} bytes)":
    "一则公告的进展总长度过大（最多 {max} 字节）",
  "Subscriber does not exist": "订阅者不存在",
  "Subscriber deleted": "订阅者已删除",
  "Please confirm the subscription by the link that is mailed to you": "请通过发送到您邮箱的链接确认订阅",
  "The subscription is confirmed": "订阅已确认",
  "You are unsubscribed": "您已退订",
  "Nobody can subscribe by mail at the moment": "目前无法通过邮件订阅",
  "There are as many subscribers as there may be": "订阅者数量已达上限",
  "Title is required": "请输入标题",
  "The title has at most {max} characters": "标题最多 {max} 个字符",
  "Give an http or https address": "请输入 http 或 https 地址",
  "Give an origin such as https://example.com, without a path": "请输入来源地址，例如 https://example.com，不含路径",
  "Give a colour such as #2563eb": "请输入颜色，例如 #2563eb",
  "Give an email address such as name@example.com": "请输入邮箱地址，例如 name@example.com",
  "The page does not show this": "状态页未展示此项",
  "Status page configuration saved": "状态页配置已保存",
  "Choose a channel of type SMTP or Resend": "请选择 SMTP 或 Resend 类型的渠道",
  "This is in another group already": "此项已在其他分组中",
} as const;

export type Message = keyof typeof messages;
export type Language = "zh-CN" | "en-US";
export type MessageParams = Readonly<Record<string, string | number>>;

/** Whether a text is one of our own sentences. */
export function isMessage(text: string): text is Message {
  return Object.hasOwn(messages, text);
}

/** Fills `{name}` placeholders; an unknown placeholder stays as it is. */
export function fill(text: string, params: MessageParams = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}

/** One of our sentences in the asked language, with its placeholders filled. */
export function translate(message: Message, language: Language, params?: MessageParams): string {
  return fill(language === "zh-CN" ? messages[message] : message, params);
}

/** The language of an Accept-Language header: `zh*` first in preference gives zh-CN, everything else en-US. */
export function languageOf(acceptLanguage: string | undefined): Language {
  // Agents send no language, and report often.
  if (acceptLanguage === undefined) return "en-US";
  const ranked = acceptLanguage
    .split(",")
    .map((part) => {
      const [tag = "", ...params] = part.trim().split(";");
      const q = params.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find((value) => value !== undefined);
      return { tag: tag.trim().toLowerCase(), weight: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((left, right) => right.weight - left.weight);
  return ranked[0]?.tag.startsWith("zh") === true ? "zh-CN" : "en-US";
}
