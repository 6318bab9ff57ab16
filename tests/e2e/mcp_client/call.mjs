// Calls every tool of a server, as a client would that memsieve's authors have no hand in, and prints what came back.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as Stdio } from "@ai-sdk/mcp/mcp-stdio";

const { http, stdio, said, question } = JSON.parse(process.argv[2]);
const client = await createMCPClient({ transport: http ? { type: "http", ...http } : new Stdio(stdio) });
const listed = await client.listTools();
const tools = client.toolsFromDefinitions(listed);
const results = {};

async function call(name, args) {
  const { structuredContent, isError = false, content } = await tools[name].execute(args, { toolCallId: name, messages: [] });
  results[name] = { structured: structuredContent ?? null, isError, text: content[0].text };
  return structuredContent;
}

const { entry_id } = await call("remember", { content: said, confidence: 0.9 });
await call("recall", { query: question });
await call("propose_promotion", { entry_id, reason: "It was measured twice." });
await call("why", { id: entry_id });
await call("list_digest", {});
await call("kb_write", { type: "new_trap", description: "Locale of dates", content: said, evidence: "test_dates" });
await call("kb_refine", {});
await call("kb_search", { query: question });

const atoms = await client.readResource({ uri: "kb://atoms" });
const [first] = atoms.contents[0].text.split("\n");
const atom = await client.readResource({ uri: first });
const digest = await client.readResource({ uri: "memsieve://digest" });
const prompt = await client.experimental_getPrompt({ name: "use_memory", arguments: { topic: question } });
process.stdout.write(
  JSON.stringify({
    listed: listed.tools.map((tool) => tool.name),
    schemas: listed.tools.filter((tool) => tool.outputSchema).length,
    resources: (await client.listResources()).resources.map((one) => one.uri),
    templates: (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
    prompts: (await client.experimental_listPrompts()).prompts.map((one) => one.name),
    instructions: client.instructions,
    results,
    atom: atom.contents[0].text,
    digest: JSON.parse(digest.contents[0].text),
    prompt: prompt.messages[0].content.text,
  }),
);
await client.close();
