#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <thread>

namespace tacit {

// Stands between a client and a server on loopback. When the client says `word`, both connections
// are cut: before the server hears it, or after the server has answered it and before the client
// hears the answer. Connections that come later are refused.
class CuttingProxy {
 public:
  CuttingProxy(int server_port, std::string word, bool server_hears)
      : server_port_(server_port), word_(std::move(word)), server_hears_(server_hears) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 1) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;
  ~CuttingProxy() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  [[nodiscard]] int port() const { return port_; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  void serve() {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(server_port_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      relay(client, server);
    }
    ::shutdown(listener_, SHUT_RDWR);
    ::close(server);
    ::close(client);
  }

  void relay(int client, int server) const {
    std::array<pollfd, 2> ends = {{{client, POLLIN, 0}, {server, POLLIN, 0}}};
    while (::poll(ends.data(), ends.size(), -1) > 0) {
      if (ends[0].revents != 0) {
        const std::string said = received(client);
        const bool is_word = said.find(word_) != std::string::npos;
        if (said.empty() || (is_word && !server_hears_)) return;
        if (::send(server, said.data(), said.size(), MSG_NOSIGNAL) < 0) return;
        if (is_word) {
          received(server);
          return;
        }
      }
      if (ends[1].revents != 0) {
        const std::string said = received(server);
        if (said.empty() || ::send(client, said.data(), said.size(), MSG_NOSIGNAL) < 0) return;
      }
    }
  }

  static std::string received(int end) {
    std::array<char, 65536> buffer = {};
    const ssize_t size = ::recv(end, buffer.data(), buffer.size(), 0);
    return size <= 0 ? std::string() : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

  int server_port_;
  std::string word_;
  bool server_hears_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace tacit
