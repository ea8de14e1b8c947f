// SPDX-License-Identifier: Apache-2.0
// A client as plain as it gets, so that tests can misbehave.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace repose::view {

class Client {
 public:
  explicit Client(int port, in_addr_t host = INADDR_LOOPBACK) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(host);
    timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  bool send(const std::string& bytes) const { return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) >= 0; }
  /// Until the server closes, or a complete answer with a length is there.
  [[nodiscard]] std::string receive() const {
    std::string all;
    for (char buffer[65536];;) {
      const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(count));
      const std::size_t head = all.find("\r\n\r\n"), field = all.find("Content-Length: ");
      if (head != all.npos && field < head && all.size() >= head + 4 + std::stoul(all.substr(field + 16))) return all;
    }
  }
  /// Nothing more will be sent; the connection is forgotten at once when this object goes, so that thousands can
  /// follow.
  void end_sending() const {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    shutdown(socket_, SHUT_WR);
  }
  /// Until the server closes.
  [[nodiscard]] std::string receive_all() const {
    std::string all;
    char buffer[65536];
    for (ssize_t count = 0; (count = recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<std::size_t>(count));
    return all;
  }
  [[nodiscard]] std::string ask(const std::string& bytes) const {
    send(bytes);
    return receive();
  }

 private:
  int socket_;
  bool connected_ = false;
};

/// "HTTP/1.1 403 …" → 403; 0 when there is none.
inline int status_of(const std::string& answer) {
  return answer.size() > 12 ? std::atoi(answer.substr(9, 3).c_str()) : 0;
}
inline std::string body_of(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == answer.npos ? "" : answer.substr(head + 4);
}

}  // namespace repose::view
