/** What is wrong with assertions, and with the steps of a flow, as `proto/http/messages.ts` has it. */
export const requestMessages = {
  "At most {max} assertions": "最多 {max} 条断言",
  "A header assertion needs the name of the header": "响应头断言需要填写名称",
  "A JSON assertion needs a path such as $.data.ok": "JSON 断言需要填写路径，例如 $.data.ok",
  "This is not a valid name of a response header": "响应头名称无效",
  "The path names one value, such as $.data.items[0]; this part cannot be read: {part}":
    "路径须指向单个值，例如 $.data.items[0]；无法识别此部分：{part}",
  "This comparison needs a value": "该比较需要填写值",
  "This comparison needs a number": "该比较需要填写数字",
  "Latency can only be compared as a number": "响应时间只能按数字比较",
  "At most {max} values": "最多 {max} 个值",
  "A value may fill the path and the query, never the scheme, host or port":
    "值只能填入路径和查询参数，不能填入协议、主机或端口",
  "A name has up to 40 letters, digits and underscores, and begins with no digit":
    "名称最多 40 个字母、数字或下划线，且不能以数字开头",
  "No earlier step takes a value named {name}": "之前的步骤没有提取名为 {name} 的值",
  "Another step has this name": "已有步骤使用此名称",
  "This step takes a value of this name already": "此步骤已提取同名的值",
  "All steps together are too long here (at most {max} characters)": "所有步骤的此项合计过长（最多 {max} 个字符）",
} as const;
