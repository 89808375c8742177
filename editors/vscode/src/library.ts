// The library of the protocol, as a file of its own.
export * from "vscode-languageclient/node";
